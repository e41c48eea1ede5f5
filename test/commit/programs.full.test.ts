import { type Entry, memoryEngine } from 'flyball';
import { type CommitResult, verifyCommit } from 'flyball/loops';
import { crashingEngine, seededRandom } from 'flyball/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  LOOP_LIMITS,
  type LoopEvent,
  type Phase,
  TRANSITIONS,
} from '../../packages/flyball/src/loops/commit/phases.js';
import { repetitions } from '../repetitions.js';
import { type CommitLives, liveCommit } from './crash.js';
import { programOf } from './programs.js';

beforeAll(async () => {
  await import('@cfworker/json-schema'); // the first check loads it, and virtual time would jump meanwhile
});

const ALL = 800;
const PROGRAMS = repetitions({ sample: 240, full: ALL });
const NAMED = ['done', 'degraded', 'bounded', 'failed'];
/** What a loop may fail with: the model's own failures, a plan that is none, and a quality that was not reached. */
const FAILURES = ['MODEL_UNAVAILABLE', 'MODEL_REJECTED', 'PLAN_INVALID', 'REPLY_INVALID', 'QUALITY_NOT_REACHED'];

/** The seed decides the program, and after how many writes each of its first processes dies. */
async function lived(seed: number): Promise<CommitLives> {
  const random = seededRandom(seed * 7919);
  const engine = memoryEngine();
  const deaths = Array.from({ length: Math.floor(random() * 4) }, () => ({
    at: 1 + Math.floor(random() * 25),
    when: random() < 0.5 ? ('before' as const) : ('after' as const),
  }));
  return liveCommit(programOf(seed), (life) => crashingEngine(engine, deaths[life] ?? (() => false)));
}

function movesIn(entries: readonly Entry[]): readonly Readonly<Record<string, unknown>>[] {
  return entries.flatMap(({ event }) =>
    event.type === 'note' && event.event.kind === 'phase' && event.event['event'] !== undefined ? [event.event] : [],
  );
}

describe('arbitrary verdicts, errors, people and crashes', () => {
  it('end every loop within its bound, with a name and by transitions of the table [R4-LOOP-TERMINATES]', async () => {
    const stops = new Map<string, number>();
    const events = new Set<unknown>();
    for (let seed = 1; seed <= PROGRAMS; seed++) {
      try {
        const lives = await lived(seed);
        expectSound(seed, lives);
        stops.set(lives.outcome.stop, (stops.get(lives.outcome.stop) ?? 0) + 1);
        for (const { event } of movesIn(lives.entries)) events.add(event);
      } catch (cause) {
        throw new Error(`program ${seed}`, { cause });
      }
    }
    // the programs are worth something only if they go everywhere
    for (const stop of NAMED) expect(stops.get(stop) ?? 0, stop).toBeGreaterThan(2);
    const everything = Object.values(TRANSITIONS).flatMap((row) => Object.keys(row));
    const unheard = [...new Set(everything)].filter((event) => !events.has(event));
    const rare = PROGRAMS < ALL ? ['upgraded'] : []; // a sample may miss it
    expect(unheard.filter((event) => !rare.includes(event))).toEqual(['interrupted']); // a pause belongs to the runtime
  });

  function expectSound(seed: number, { outcome, entries }: CommitLives): void {
    expect(NAMED).toContain(outcome.stop);
    if (outcome.stop === 'failed') expect(FAILURES, outcome.because).toContain(outcome.failure.code);
    const moves = movesIn(entries);
    const most = programOf(seed).options?.limits?.maxIterations ?? LOOP_LIMITS.maxIterations;
    expect(Math.max(0, ...moves.map(({ iteration }) => Number(iteration)))).toBeLessThanOrEqual(most);
    for (const { from, event, phase, limit } of moves) {
      const to = TRANSITIONS[from as Phase][event as LoopEvent];
      expect(limit === undefined ? to : 'FAIL', `${String(from)} ${String(event)}`).toBe(phase);
    }
    if ('value' in outcome) expect(verifyCommit(outcome.value as CommitResult)).toBe(true);
  }
});
