import type { Entry } from '../core/events.js';

/** Told of a run once, with its whole journal, when it has ended. Whatever it throws is its own problem. */
export type Telemetry = (runId: string, entries: readonly Entry[]) => void;
