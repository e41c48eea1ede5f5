import type { ComponentType } from 'preact';
import type { RunModel } from './run-model.js';

/** One way to look at a run. */
export interface Tab {
  /** Stands in the address: `?tab=plan`. */
  readonly id: string;
  readonly title: string;
  /** Reads signals of the model: a tab appears as soon as there is something to show. */
  available(model: RunModel): boolean;
  readonly View: ComponentType<{ readonly model: RunModel }>;
}
