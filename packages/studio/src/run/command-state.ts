import { effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { StreamState } from '../api/event-stream.js';
import { ApiError } from '../api/problem.js';
import type { RunStatus } from '../api/types.js';
import type { Command } from './run-commands.js';

export interface Refusal {
  readonly command: Command;
  readonly error: unknown;
}

export interface CommandState {
  /** Why the last command did not go through; gone once that is over. */
  readonly refusal: Signal<Refusal | undefined>;
  stop(): void;
}

/**
 * A refusal is true of one moment. It goes when the run stands elsewhere than it did, and one over a server that did not
 * answer goes when the server is back: an error that stays says that something is still wrong.
 */
export function commandState(
  status: ReadonlySignal<RunStatus | undefined>,
  connection: ReadonlySignal<StreamState>,
): CommandState {
  const refusal = signal<Refusal | undefined>(undefined);
  let statusThen: RunStatus | undefined;
  let wasAway = false;
  const stop = effect(() => {
    const now = status.value;
    const isOpen = connection.value === 'open';
    const refused = refusal.value;
    if (refused === undefined) {
      statusThen = now;
      wasAway = !isOpen;
      return;
    }
    const isBack = isOpen && wasAway;
    wasAway = !isOpen;
    if (now !== statusThen || (isBack && isUnanswered(refused.error))) refusal.value = undefined;
  });
  return { refusal, stop };
}

function isUnanswered(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status >= 500);
}
