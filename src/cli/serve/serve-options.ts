import type { CommonOptions } from '../command.js';

/** What `flyball serve` may be told. */
export interface ServeOptions extends CommonOptions {
  readonly host?: string;
  readonly port?: number;
  readonly origin?: readonly string[];
  readonly name?: readonly string[];
  readonly triggers?: string;
  readonly evals?: string;
  readonly studio: boolean;
  readonly mcp: boolean;
  readonly publicCard?: boolean;
  readonly requesterDecides?: boolean;
  readonly rate?: number;
  /** Seconds. */
  readonly drain?: number;
  readonly costPerDay?: number;
  readonly maxBody?: number;
  readonly timeout?: number;
  readonly quiet?: boolean;
}
