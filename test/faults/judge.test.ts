import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Entry, RunEvent } from 'flyball';
import { afterEach, describe, expect, it } from 'vitest';
import { doubtsIn } from './doubts.js';
import type { Kind } from './kind.js';
import { Ledger } from './ledger.js';
import type { Told } from './stage.js';
import { wrongs } from './told.js';

describe('whoever judges real faults', () => {
  const folder = mkdtempSync(join(tmpdir(), 'flyball-ledger-'));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('finds what was lost, made twice, or repeated under another key, also where half a line was written [R10-PG-REAL-FAULTS]', () => {
    const ledger = new Ledger(join(folder, 'ledger.txt'));
    expect(ledger.judge(['r'], 1).lost).toEqual(['r 0']);
    const write = (text: string): void => appendFileSync(ledger.path, text);
    write('r 0 idempotent k0 w1\nr 1 asked k1 w1\nr 2 idempotent k2 w1\nr 3 asked k3');
    expect([ledger.has('r', 1), ledger.has('r', 3), ledger.countOf('w1')]).toEqual([true, false, 3]);
    write(' w1\nr 0 idempotent k0 w2\nr 1 asked k1 w2\nr 2 idempotent other w2\n');
    expect(ledger.judge(['r'], 5)).toEqual({
      lost: ['r 4'],
      doubled: ['r 1 by w1 and w2', 'r 2 by w1 and w2'],
      repeated: 1,
      acts: 4,
    });
    expect([ledger.countOf(), ledger.countOf('w2')]).toEqual([7, 3]);
  });

  it('tells questions that had to be asked from those that need not have been [R10-PG-REAL-FAULTS]', () => {
    const life = { type: 'attempt-start', attempt: 1, why: 'takeover', owner: {} };
    const intent = (id: string, name: string, effect: string) => ({ type: 'intent', id, name, class: effect });
    const doubt = (id: string, name: string, why: string) => ({ type: 'doubt', id, name, why, attempt: 1 });
    const events = [
      life,
      intent('#0', 'asked', 'undoable'),
      life,
      doubt('#0', 'asked', 'no way to verify it'),
      { type: 'complete', id: '#0', result: null },
      doubt('#0', 'asked', 'no way to verify it'),
      intent('#1', 'verified', 'undoable'),
      doubt(
        '#1',
        'verified',
        'a check says that it did not happen, but the process that started it may still be running',
      ),
      doubt('#1', 'verified', 'checking gave no answer'),
      intent('#2', 'same-key', 'idempotent'),
      doubt('#2', 'same-key', 'why'),
      doubt('#3', 'asked', 'why'),
    ];
    const entries = events.map(
      (event, seq): Entry => ({ generation: 0, seq, at: 0, activeMs: 0, event: event as unknown as RunEvent }),
    );
    const found = doubtsIn(entries);
    expect(found.map(({ avoidable }) => avoidable)).toEqual([
      undefined,
      'its end is recorded',
      undefined,
      'the ledger could be asked',
      'it could be repeated under its key',
      'it was never attempted',
    ]);
    expect(found[0]?.why).toContain('asked by the next process');
    expect(found[2]?.why).toContain('asked by its own process');
  });

  it('lets nobody be asked, and no run be taken over, where every process was let finish [R10-PG-REAL-FAULTS]', () => {
    const told: Told = {
      ...{ lost: [], doubled: [], repeated: 1, acts: 9, faults: 1, runs: 1, happened: 1, stuck: [], seconds: 1 },
      takeovers: 2,
      doubts: [{ why: 'it cannot be checked automatically', avoidable: undefined }],
    };
    const kind: Kind = { name: 'any', about: '', run: async () => told };
    expect(wrongs(kind, told)).toEqual([]);
    expect(wrongs({ ...kind, isGraceful: true }, told)).toEqual([
      'asked needlessly: it cannot be checked automatically: its process was let finish',
      'taken over: 2 times, from a process that was let finish',
    ]);
  });
});
