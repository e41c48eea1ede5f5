import { describe, expect, it } from 'vitest';
import {
  BoundReachedError,
  CancelledError,
  ConfigError,
  EffectError,
  FlyballError,
  failureOf,
  JournalConflictError,
  ReplayDivergedError,
} from './errors.js';

describe('an error', () => {
  it('carries a code, a verdict on retrying, and a message with what to do [R2-CORE-ERRORS]', () => {
    const error = new FlyballError('STORAGE_BUSY', 'Busy. Try again.', {
      retryable: true,
      detail: { path: 'x' },
      cause: new Error('lock'),
    });
    expect(error).toMatchObject({ name: 'FlyballError', code: 'STORAGE_BUSY', retryable: true, detail: { path: 'x' } });
    expect(error.cause).toBeInstanceOf(Error);
    expect(new FlyballError('RUN_NOT_FOUND', 'x').retryable).toBe(false);
  });

  it('has a class where programs treat it apart [R2-CORE-ERRORS]', () => {
    expect(new ConfigError('x')).toMatchObject({ name: 'ConfigError', code: 'CONFIG_INVALID' });
    expect(new JournalConflictError('run', 'held by another.')).toMatchObject({
      code: 'JOURNAL_CONFLICT',
      retryable: false,
      message: 'Run run: held by another.',
    });
    expect(new CancelledError('by ada')).toMatchObject({ code: 'CANCELLED' });
    expect(new BoundReachedError({ bound: 'costUsd', limit: 5, spent: 4.9, node: '' })).toMatchObject({
      code: 'BOUND_REACHED',
      bound: 'costUsd',
      limit: 5,
      message: 'Budget of /: the costUsd limit is reached (4.9 of 5).',
    });
    const refused = { bound: 'tokensOut', limit: 2000, spent: 30, node: '/a', wanted: 8192, left: 1970 };
    expect(new BoundReachedError(refused)).toMatchObject({
      message: 'Budget of /a: the next call may need 8192 tokensOut, and 1970 of 2000 are left (30 spent).',
      refused: { wanted: 8192, left: 1970 },
    });
    const versions = { agent: 'desk', began: '1', here: '2' };
    const diverged = new ReplayDivergedError({ id: '#1', recorded: 'the step "a"', asked: 'the wait "b"', versions });
    expect(diverged.message).toBe(
      'At #1 the journal holds the step "a", but the code asks for the wait "b". No effect was made. ' +
        'The run began with version 1 of "desk"; this process has version 2. ' +
        'Start a worker with the code that wrote this run, then retry the run. ' +
        "If the agent is a function of your own, you can also mark the change with run.changed('…').",
    );
  });

  it('becomes data and back with everything that crosses the journal [R2-CORE-ERRORS] [R2-EFFECT-ENCODED]', () => {
    const failure = failureOf(Object.assign(new Error('too many'), { code: 'RATE_LIMIT', retryable: true }));
    expect(failure).toEqual({
      code: 'EFFECT_FAILED',
      message: 'too many',
      retryable: true,
      originalCode: 'RATE_LIMIT',
    });
    const back = new EffectError(failure);
    expect(back).toMatchObject({
      name: 'EffectError',
      code: 'EFFECT_FAILED',
      originalCode: 'RATE_LIMIT',
      retryable: true,
    });
    expect(failureOf(back)).toEqual(failure);
  });

  it('becomes data whatever was thrown', () => {
    expect(failureOf('just text')).toEqual({ code: 'EFFECT_FAILED', message: 'just text', retryable: false });
    expect(failureOf(new TypeError())).toEqual({ code: 'EFFECT_FAILED', message: 'TypeError', retryable: false });
    expect(failureOf(undefined, 'MODEL_UNAVAILABLE')).toMatchObject({
      code: 'MODEL_UNAVAILABLE',
      message: 'undefined',
    });
    const cyclic: Record<string, unknown> = {};
    cyclic['self'] = cyclic;
    expect(JSON.stringify(failureOf(new FlyballError('INPUT_INVALID', 'x', { detail: cyclic })))).toContain(
      'INPUT_INVALID',
    );
  });
});
