import type { Entry } from '../core/events.js';

/** Called with the whole journal of a run when it has ended. Errors that it throws do not affect the run. */
export type Telemetry = (runId: string, entries: readonly Entry[]) => void;
