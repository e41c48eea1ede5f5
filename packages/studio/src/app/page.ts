import type { ComponentType } from 'preact';
import type { Params } from '../router/router.js';

export interface Page {
  /** Below the base of the studio, `/runs/:runId`. */
  readonly path: string;
  readonly title: string;
  /** Pressed after `g`; a page without one is reached by links only and stands in no menu. */
  readonly key?: string;
  readonly View: ComponentType<{ readonly params: Params }>;
}
