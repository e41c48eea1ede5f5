import { FlyballError } from 'flyball';
import { Problem } from '../problem.js';

/** The run, where somebody started it before: another server, or we in an earlier life. */
export function startedBefore(error: unknown, id: string): string | undefined {
  if (!(error instanceof FlyballError || error instanceof Problem) || error.code !== 'RUN_EXISTS') return undefined;
  const { runId } = (error instanceof FlyballError ? error.detail : {}) as { readonly runId?: unknown };
  return typeof runId === 'string' ? runId : id;
}

/** The same start may succeed later. */
export function isWorthRepeating(error: unknown): boolean {
  return (error instanceof FlyballError || error instanceof Problem) && error.retryable;
}
