import { signal } from '@preact/signals';
import { expect, it } from 'vitest';
import type { StreamState } from '../../packages/studio/src/api/event-stream.js';
import { ApiError, unreachableServer } from '../../packages/studio/src/api/problem.js';
import type { RunStatus } from '../../packages/studio/src/api/types.js';
import { commandState } from '../../packages/studio/src/run/command-state.js';

function stage() {
  const status = signal<RunStatus | undefined>('running');
  const connection = signal<StreamState>('open');
  return { status, connection, ...commandState(status, connection) };
}

it('a command that got no answer is no news any more once the server is back [F-D2]', () => {
  const { connection, refusal } = stage();
  connection.value = 'waiting';
  refusal.value = { command: 'pause', error: unreachableServer(undefined) };
  connection.value = 'connecting';
  expect(refusal.value).toBeDefined();
  connection.value = 'open';
  expect(refusal.value).toBeUndefined();
});

it('a command that failed before the page noticed that the server is away recovers too [F-D2]', () => {
  const { connection, refusal } = stage();
  refusal.value = { command: 'pause', error: unreachableServer(undefined) };
  connection.value = 'waiting';
  connection.value = 'open';
  expect(refusal.value).toBeUndefined();
});

it('a refusal that the server gave stays until the run stands elsewhere [F-D2]', () => {
  const { status, connection, refusal } = stage();
  const problem = { title: 'No', status: 409, detail: 'It has ended.', code: 'ALREADY_TERMINAL', retryable: false };
  refusal.value = { command: 'cancel', error: new ApiError(problem) };
  connection.value = 'waiting';
  connection.value = 'open';
  expect(refusal.value).toBeDefined();
  status.value = 'done';
  expect(refusal.value).toBeUndefined();
});
