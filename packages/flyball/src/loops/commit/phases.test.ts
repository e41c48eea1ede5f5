import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../core/errors.js';
import {
  advance,
  LOOP_EVENTS,
  LOOP_LIMITS,
  type LoopEvent,
  type LoopLimits,
  loopLimits,
  next,
  PHASES,
  type Phase,
  type Position,
  roundsAllowed,
  START,
} from './phases.js';

/** Written out by hand, from what the loop is meant to do. Whatever is not here is refused. */
const EXPECTED: Readonly<Record<Phase, string>> = {
  PLAN: 'planned>DECOMPOSE retry>PLAN error>FAIL exhausted>FAIL interrupted>HALT',
  DECOMPOSE: 'decomposed>RETRIEVE retry>DECOMPOSE error>FAIL exhausted>FAIL interrupted>HALT',
  RETRIEVE: 'retrieved>ACT retry>RETRIEVE error>FAIL exhausted>FAIL interrupted>HALT',
  ACT: 'acted>VERIFY retry>ACT error>FAIL exhausted>FAIL interrupted>HALT',
  VERIFY: [
    'schema-failed>REPAIR gates-failed>CRITIQUE gates-passed>COMMIT retrieval-gap>RETRIEVE',
    'approved>COMMIT modified>REPAIR rejected>FAIL',
    'retry>VERIFY error>FAIL exhausted>FAIL interrupted>HALT',
  ].join(' '),
  CRITIQUE: 'diagnosed>REPAIR retrieval-gap>RETRIEVE retry>CRITIQUE error>FAIL exhausted>FAIL interrupted>HALT',
  REPAIR: [
    'repaired>VERIFY retrieval-gap>RETRIEVE re-decompose>DECOMPOSE upgraded>REPAIR',
    'modified>REPAIR partial>COMMIT rejected>FAIL',
    'retry>REPAIR error>FAIL exhausted>FAIL interrupted>HALT',
  ].join(' '),
  COMMIT: 'committed>COMMIT retry>COMMIT error>FAIL exhausted>FAIL interrupted>HALT',
  FAIL: '',
  HALT: '',
};

const TABLE: ReadonlyMap<string, string> = new Map(
  Object.entries(EXPECTED).flatMap(([phase, row]) =>
    row
      .split(' ')
      .filter((cell) => cell !== '')
      .map((cell): [string, string] => {
        const [event = '', to = ''] = cell.split('>');
        return [`${phase} ${event}`, to];
      }),
  ),
);
const PAIRS = PHASES.flatMap((phase) => LOOP_EVENTS.map((event) => [phase, event] as const));
const ROOM: LoopLimits = {
  maxIterations: 1000,
  maxRepairs: 1000,
  maxRetries: 1000,
  maxRetrievals: 1000,
  maxDecompositions: 1000,
  maxUpgrades: 1000,
  maxModifications: 1000,
};
const at = (phase: Phase, more: Partial<Position> = {}): Position => ({ ...START, phase, ...more });

describe('the transition table', () => {
  it('has ten phases and no event that no phase knows [R4-LOOP-TABLE]', () => {
    expect(PHASES).toHaveLength(10);
    expect(Object.keys(EXPECTED)).toEqual([...PHASES]);
    for (const event of LOOP_EVENTS) expect([...TABLE.keys()].some((key) => key.endsWith(` ${event}`))).toBe(true);
    for (const key of TABLE.keys()) expect(LOOP_EVENTS).toContain(key.split(' ')[1]);
  });

  it.each(PAIRS)('leads from %s by %s where it is written, or nowhere [R4-LOOP-EXHAUSTIVE]', (phase, event) => {
    const to = TABLE.get(`${phase} ${event}`);
    expect(next(phase, event)).toBe(to);
    if (to === undefined) expect(() => advance(at(phase), event, ROOM)).toThrow(ConfigError);
    else expect(advance(at(phase), event, ROOM)).toMatchObject({ phase: to, iteration: 1 });
  });

  it('ends in FAIL, in HALT and where the result is durable, and knows nothing after that [R4-LOOP-EXHAUSTIVE]', () => {
    const ends = [advance(at('ACT'), 'error', ROOM), advance(at('ACT'), 'interrupted', ROOM)];
    for (const end of [...ends, advance(at('COMMIT'), 'committed', ROOM)]) {
      expect(end.over).toBe(true);
      for (const event of LOOP_EVENTS) expect(() => advance(end, event, ROOM)).toThrow(/does not have the event/);
    }
    expect(advance(at('VERIFY'), 'gates-passed', ROOM).over).toBeUndefined();
  });
});

describe('a limit of the loop', () => {
  const cases: readonly (readonly [keyof LoopLimits, Phase, LoopEvent, keyof Position])[] = [
    ['maxRetries', 'ACT', 'retry', 'retries'],
    ['maxRetrievals', 'VERIFY', 'retrieval-gap', 'retrievals'],
    ['maxDecompositions', 'REPAIR', 're-decompose', 'decompositions'],
    ['maxUpgrades', 'REPAIR', 'upgraded', 'upgrades'],
    ['maxModifications', 'VERIFY', 'modified', 'modifications'],
  ];
  it.each(cases)(
    '%s allows its number from %s by %s, and ends the loop with its name at one more',
    (limit, phase, event, counter) => {
      const limits = { ...ROOM, [limit]: 2 };
      const last = advance(at(phase, { [counter]: 1 }), event, limits);
      expect(last).toMatchObject({ [counter]: 2, phase: next(phase, event) });
      expect(last.over).toBeUndefined();
      const past = advance(at(phase, { [counter]: 2 }), event, limits);
      expect(past).toMatchObject({ [counter]: 3, phase: 'FAIL', over: true, limit });
    },
  );

  it('of repairs lets one more be entered, which can only escalate', () => {
    const limits = { ...ROOM, maxRepairs: 1 };
    expect(advance(at('CRITIQUE', { repairs: 1 }), 'diagnosed', limits)).toMatchObject({ phase: 'REPAIR', repairs: 2 });
    expect(advance(at('CRITIQUE', { repairs: 2 }), 'diagnosed', limits)).toMatchObject({ limit: 'maxRepairs' });
    expect(advance(at('VERIFY', { repairs: 2 }), 'schema-failed', limits)).toMatchObject({ limit: 'maxRepairs' });
  });

  it('of repairs grows by one for a stronger model and for every word of a person, who are not counted as repairs', () => {
    const limits = { ...ROOM, maxRepairs: 1 };
    const modified = advance(at('VERIFY', { repairs: 2 }), 'modified', limits);
    expect(modified).toMatchObject({ phase: 'REPAIR', repairs: 2, modifications: 1 });
    const upgraded = advance(modified, 'upgraded', limits);
    expect(upgraded).toMatchObject({ phase: 'REPAIR', repairs: 2, upgrades: 1 });
    expect(roundsAllowed(upgraded, limits)).toBe(3);
    expect(advance({ ...upgraded, phase: 'CRITIQUE', repairs: 3 }, 'diagnosed', limits).phase).toBe('REPAIR');
    expect(advance({ ...upgraded, phase: 'CRITIQUE', repairs: 4 }, 'diagnosed', limits)).toMatchObject({
      limit: 'maxRepairs',
    });
  });

  it('of transitions ends everything but what has just come to its end', () => {
    const limits = { ...ROOM, maxIterations: 5 };
    expect(advance(at('ACT', { iteration: 4 }), 'acted', limits)).toMatchObject({
      limit: 'maxIterations',
      phase: 'FAIL',
    });
    const committed = advance(at('COMMIT', { iteration: 4 }), 'committed', limits);
    expect(committed).toMatchObject({ phase: 'COMMIT', over: true });
    expect(committed.limit).toBeUndefined();
  });

  it('is a whole number with a known name, or refused before anything is spent', () => {
    expect(loopLimits()).toEqual(LOOP_LIMITS);
    expect(loopLimits({ maxRepairs: 0 })).toEqual({ ...LOOP_LIMITS, maxRepairs: 0 });
    expect(() => loopLimits({ maxRepair: 1 } as Partial<LoopLimits>)).toThrow('no limit "maxRepair"');
    for (const bad of [{ maxIterations: 0 }, { maxRetries: -1 }, { maxRepairs: 1.5 }, { maxUpgrades: Number.NaN }])
      expect(() => loopLimits(bad)).toThrow(/is a whole number of at least/);
  });
});

/** What may never be exceeded; the position that ends the loop shows the one step too far. */
function expectWithin(position: Position, limits: LoopLimits): void {
  const slack = position.limit === undefined ? 0 : 1;
  expect(position.iteration).toBeLessThanOrEqual(limits.maxIterations);
  expect(position.retries).toBeLessThanOrEqual(limits.maxRetries + slack);
  expect(position.retrievals).toBeLessThanOrEqual(limits.maxRetrievals + slack);
  expect(position.decompositions).toBeLessThanOrEqual(limits.maxDecompositions + slack);
  expect(position.upgrades).toBeLessThanOrEqual(limits.maxUpgrades + slack);
  expect(position.modifications).toBeLessThanOrEqual(limits.maxModifications + slack);
  expect(position.repairs).toBeLessThanOrEqual(roundsAllowed(position, limits) + 1 + slack);
}

describe('the loop as a whole', () => {
  const small = fc.integer({ min: 0, max: 3 });
  const anyLimits = fc.record({
    maxIterations: fc.integer({ min: 1, max: 30 }),
    maxRepairs: small,
    maxRetries: small,
    maxRetrievals: small,
    maxDecompositions: small,
    maxUpgrades: small,
    maxModifications: small,
  });

  it('ends within its transitions whatever happens, in COMMIT, FAIL or HALT [R4-LOOP-TERMINATES]', () => {
    fc.assert(
      fc.property(anyLimits, fc.infiniteStream(fc.nat()), (limits, choices) => {
        let position = START;
        let steps = 0;
        for (const choice of choices) {
          const known = LOOP_EVENTS.filter((event) => next(position.phase, event) !== undefined);
          position = advance(position, known[choice % known.length] as LoopEvent, limits);
          expect(++steps).toBeLessThanOrEqual(limits.maxIterations);
          expectWithin(position, limits);
          if (position.over === true) break;
        }
        expect(['COMMIT', 'FAIL', 'HALT']).toContain(position.phase);
      }),
      { numRuns: 500 },
    );
  });

  it('has no reachable position from which it could go on for ever: all of them were visited [R4-SHOW-MODEL-CHECK] [R4-LOOP-TERMINATES]', () => {
    const limits = loopLimits({
      ...{ maxIterations: 14, maxRepairs: 1, maxRetries: 1, maxRetrievals: 1 },
      ...{ maxDecompositions: 1, maxUpgrades: 1, maxModifications: 1 },
    });
    const seen = new Map<string, Position>([[JSON.stringify(START), START]]);
    const ends = new Set<string>();
    for (const position of seen.values()) {
      expectWithin(position, limits);
      if (position.over === true) {
        ends.add(`${position.phase}${position.limit === undefined ? '' : ` by ${position.limit}`}`);
        continue;
      }
      const known = LOOP_EVENTS.filter((event) => TABLE.has(`${position.phase} ${event}`));
      expect(known.length).toBeGreaterThan(0); // nowhere does it stand without being over
      for (const event of known) {
        const after = advance(position, event, limits);
        expect(after.iteration).toBe(position.iteration + 1); // so no position comes twice on one way
        seen.set(JSON.stringify(after), after);
      }
    }
    expect(seen.size).toBeGreaterThan(1000);
    const limitNames = Object.keys(limits).map((name) => `FAIL by ${name}`);
    expect([...ends].sort()).toEqual(['COMMIT', 'FAIL', 'HALT', ...limitNames].sort());
  });
});
