import { describe, expect, it } from 'vitest';
import { adviceFor, stateShown } from '../../packages/studio/src/workers/workers.js';

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
});
