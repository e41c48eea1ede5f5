import type { CommonOptions } from 'flyball/internal';

/** What `flyball serve` may be told, beside the settings: those are in `settings-table.ts`. */
export interface ServeOptions extends CommonOptions {
  readonly config?: string;
  readonly quiet?: boolean;
  readonly logLevel?: string;
}
