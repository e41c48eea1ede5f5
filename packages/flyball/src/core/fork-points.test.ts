import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { abort, attemptStart, complete, intent, JournalBuilder, pure, runStart } from '../views/fixtures.test-data.js';
import { budget } from './budget.js';
import type { Entry } from './events.js';
import { forkPointCheck, forkPoints } from './fork-points.js';
import { newRunState } from './run-state.js';

/** 0 run-start, 1 attempt, 2 pure, 3 INTENT a, 4 pure, 5 INTENT b, 6 end of a, 7 pure, 8 end of b, 9 pure */
const overlapping = new JournalBuilder().add(
  runStart(),
  attemptStart(1),
  pure('#0', 'x', 1),
  intent('/a#0', 'a'),
  pure('#1', 'x', 1),
  intent('/b#0', 'b'),
  complete('/a#0', 1),
  pure('#2', 'x', 1),
  abort('/b#0', 'EFFECT_FAILED'),
  pure('#3', 'x', 1),
).entries;

function twoGenerations(): readonly Entry[] {
  const journal = new JournalBuilder().add(runStart(), intent('#0', 'a'), complete('#0', 1));
  const start = { v: 1, input: 1, budget: budget(), state: newRunState('ada') };
  return journal.nextGeneration().add({ type: 'generation-start', ...start }, pure('#0', 'b', 1)).entries;
}

describe('fork points', () => {
  it('are all positions that cut no INTENT from its end', () => {
    expect(forkPoints(overlapping)).toEqual([0, 1, 2, 8, 9]);
  });

  it('refuse a position inside an INTENT and name the nearest valid one, the earlier of two [R2-SHOW-FORK-REFUSED]', () => {
    expect(forkPointCheck(overlapping, 2)).toEqual({ ok: true });
    expect(forkPointCheck(overlapping, 8)).toEqual({ ok: true });
    expect(forkPointCheck(overlapping, 3)).toEqual({
      ok: false,
      nearest: 2,
      why: expect.stringContaining('INTENT of a (/a#0, entry 3)'),
    });
    expect(forkPointCheck(overlapping, 5)).toMatchObject({ ok: false, nearest: 2 }); // 3 away from both
    expect(forkPointCheck(overlapping, 6)).toMatchObject({
      ok: false,
      nearest: 8,
      why: expect.stringContaining('INTENT of b'),
    });
    expect(forkPointCheck(overlapping, 7)).toMatchObject({ ok: false, nearest: 8 });
  });

  it('take an INTENT that a crash left open for open, until its repetition has ended', () => {
    const journal = new JournalBuilder().add(
      runStart(),
      intent('#0', 'a'),
      attemptStart(2, 'takeover'),
      intent('#0', 'a', { attempt: 2 }),
    );
    expect(forkPoints(journal.entries)).toEqual([0]);
    expect(forkPointCheck(journal.entries, 3)).toMatchObject({ why: expect.stringContaining('entry 1)') });
    expect(forkPoints(journal.add(complete('#0', 1)).entries)).toEqual([0, 4]);
  });

  it('lie inside the journal', () => {
    expect(forkPointCheck(overlapping, -1)).toMatchObject({ ok: false, nearest: 0 });
    expect(forkPointCheck(overlapping, 10)).toMatchObject({
      ok: false,
      nearest: 9,
      why: 'There is no entry 10: the journal has entries 0 to 9.',
    });
    expect(forkPointCheck([], 0)).toMatchObject({ ok: false, nearest: -1 });
  });

  it('belong to a generation: the last one unless another is named', () => {
    expect(forkPoints(twoGenerations())).toEqual([0, 1]);
    expect(forkPoints(twoGenerations(), 0)).toEqual([0, 2]);
    expect(forkPointCheck(twoGenerations(), 1)).toEqual({ ok: true });
    expect(forkPointCheck(twoGenerations(), 1, 0)).toMatchObject({ ok: false, nearest: 0 });
  });

  it('name a nearest point that is valid itself, for any interleaving of effects', () => {
    const steps = fc.array(fc.tuple(fc.nat(4), fc.boolean()), { maxLength: 30 });
    fc.assert(
      fc.property(steps, fc.integer({ min: -2, max: 40 }), (moves, seq) => {
        const journal = new JournalBuilder().add(runStart());
        for (const [effect, ends] of moves) journal.add(ends ? complete(`#${effect}`, 1) : intent(`#${effect}`, 'x'));
        const verdict = forkPointCheck(journal.entries, seq);
        if (verdict.ok) return;
        expect(forkPointCheck(journal.entries, verdict.nearest)).toEqual({ ok: true });
        const distances = forkPoints(journal.entries).map((point) => Math.abs(point - seq));
        expect(Math.abs(verdict.nearest - seq)).toBe(Math.min(...distances));
      }),
    );
  });
});
