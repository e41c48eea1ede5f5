import { describe, expect, it } from 'vitest';
import { adviceFor, queueText, stateShown } from '../../packages/studio/src/workers/workers.js';

describe('the workers page', () => {
  it('marks a process that is lost, and none that runs a command [R19-SILENT-SINCE]', () => {
    expect(stateShown({ state: 'silent', silentSince: 1 })).toEqual({ text: 'silent', tone: 'bad' });
    expect(stateShown({ state: 'silent' })).toMatchObject({ text: 'command', tone: 'idle' });
    expect(stateShown({ state: 'working' })).toEqual({ text: 'working', tone: 'good' });
  });

  it('says how to declare a lost process gone, with the id only where it is the real one [R19-SILENT-SINCE]', () => {
    expect(adviceFor({ owner: { id: 'node-3:1:31c5a92d', host: 'node-3', pid: 1 } }).command).toBe(
      'flyball owner gone node-3:1:31c5a92d',
    );
    expect(adviceFor({ owner: { id: '7c1e' } }).command).toBe('flyball owner list');
  });

  it('says how many of the waiting runs are those of the table [R19-QUEUE-TENANTS]', () => {
    const line = { agent: 'desk', version: '1', runs: 6, since: 1, served: true };
    expect(queueText({ runs: 0, lines: [] })).toBe('The queue is empty.');
    expect(queueText({ runs: 6, lines: [line] })).toBe('6 waiting in the queue');
    expect(queueText({ runs: 11, lines: [line] })).toBe('11 waiting in the queue, 6 of them in your tenant');
    expect(queueText({ runs: 5, lines: [] })).toBe('5 waiting in the queue, 0 of them in your tenant');
  });
});
