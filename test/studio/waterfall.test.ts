import { describe, expect, it } from 'vitest';
import type { EventOf } from '../../packages/flyball/src/core/events.js';
import { effectsOf } from '../../packages/flyball/src/views/effects.js';
import {
  askEnd,
  askStart,
  attemptStart,
  JournalBuilder,
  purchase,
  pure,
  runStart,
} from '../../packages/flyball/src/views/fixtures.test-data.js';
import { TraceFold, traceOf } from '../../packages/flyball/src/views/trace.js';
import { proposedArguments } from '../../packages/studio/src/run/proposed-arguments.js';
import { niceStep, RestFold, TimeScale } from '../../packages/studio/src/run/time-scale.js';
import { barNames, crashesIn, RowTree } from '../../packages/studio/src/run/waterfall-rows.js';
import { longJournal } from './journal-of.js';

const DAY = 86_400_000;

function scaleOf(entries: ReturnType<typeof purchase>): TimeScale {
  const fold = new RestFold();
  for (const entry of entries) fold.apply(entry);
  const { from, to, rests } = fold.read();
  return new TimeScale(from, to, rests);
}

describe('the waterfall', () => {
  it('nests phases, model calls, tools and children as rows [R6-STUDIO-TIMELINE]', () => {
    const entries = purchase();
    const rows = new RowTree().of(traceOf('r1', entries), new Set());
    const names = barNames(effectsOf(entries));
    expect(rows.map(({ kind, name, depth, id }) => `${'  '.repeat(depth)}${kind} ${names.get(id) ?? name}`)).toEqual([
      'run buyer',
      '  attempt attempt 1, resumed once',
      '  phase PLAN',
      '    ask drafter',
      '    step choose',
      '  phase ACT',
      '    spawn researcher',
      '      ask reader',
      '      call search',
      '    wait approval of charge',
      '    call charge',
    ]);
  });

  it('shows ninety wake-ups as ticks of one row, and a crash as one that nobody misses [F-D5]', () => {
    const journal = new JournalBuilder().add(runStart(), attemptStart(1));
    for (let n = 2; n <= 91; n++) journal.add(pure(`#${n}`, 'look', n), attemptStart(n, 'wake'));
    const quiet = new RowTree().of(traceOf('r1', journal.entries), new Set());
    const [life, ...more] = quiet.filter(({ kind }) => kind === 'attempt');
    expect(more).toEqual([]);
    expect(life?.name).toBe('attempt 1, resumed 90 times');
    expect(life?.ticks).toHaveLength(90);
    expect(life?.isCrash).toBeUndefined();
    journal.add(attemptStart(92, 'takeover'), pure('#92', 'look', 92));
    const trace = traceOf('r1', journal.entries);
    const lives = new RowTree().of(trace, new Set()).filter(({ kind }) => kind === 'attempt');
    expect(lives.map(({ name, isCrash }) => [name, isCrash])).toEqual([
      ['attempt 1, resumed 90 times', true],
      ['attempt 92: resumed after a crash', undefined],
    ]);
    expect(crashesIn(trace)).toEqual([lives[0]?.endMs]);
  });

  it('leaves out what is inside a closed bar and shows it again', () => {
    const trace = traceOf('r1', purchase());
    const tree = new RowTree();
    const act = trace.children.find(({ name }) => name === 'phase ACT');
    const all = tree.of(trace, new Set());
    const folded = tree.of(trace, new Set([act?.id ?? '']));
    expect(folded).toHaveLength(all.length - 5);
    expect(folded.find(({ id }) => id === act?.id)).toMatchObject({ hasChildren: true, isClosed: true });
    expect(tree.of(trace, new Set())).toEqual(all);
  });

  it('makes new rows only for what changed [R6-STUDIO-VIRTUAL]', () => {
    const entries = longJournal(2000);
    const fold = new TraceFold('r1');
    const tree = new RowTree();
    const closed = new Set<string>();
    for (const entry of entries.slice(0, -1)) fold.apply(entry);
    const before = tree.of(fold.trace(), closed);
    for (const entry of entries.slice(-1)) fold.apply(entry);
    const after = tree.of(fold.trace(), closed);
    const known = new Set(before);
    const made = after.filter((row) => !known.has(row)).map(({ kind }) => kind);
    expect(after).toHaveLength(before.length);
    expect(made).toEqual(['run', 'phase', 'call']);
  });

  it('finds the arguments of a pure call in the reply that proposed it [R6-STUDIO-TIMELINE]', () => {
    const journal = new JournalBuilder().add(runStart(), attemptStart(1), askStart('#0'));
    const proposal = askEnd('#0') as EventOf<'ask-end'>;
    const toolCalls = [
      { id: 'a', name: 'look', arguments: '{"at":"sky"}' },
      { id: 'b', name: 'count', arguments: '{"to":3}' },
    ];
    const reply = { ...proposal.reply, toolCalls } as NonNullable<typeof proposal.reply>;
    journal.add({ ...proposal, reply }, pure('#1', 'look', 'blue', 'call'), pure('#2', 'count', 3, 'call'));
    journal.add(pure('#3', 'other', 1, 'call'), pure('/elsewhere#0', 'look', 1, 'call'));
    journal.add(askStart('#4'), { ...proposal, id: '#4', reply }, pure('#5', 'look', 'grey', 'call'));
    const effects = effectsOf(journal.entries);
    const given = effects.filter(({ verb }) => verb === 'call').map((call) => proposedArguments(call, effects));
    expect(given).toEqual(['{"at":"sky"}', '{"to":3}', undefined, undefined, '{"at":"sky"}']);
  });

  it('draws a day of rest narrow, so that the work can be seen, and all in order [R6-STUDIO-TIMELINE]', () => {
    const entries = purchase({ crash: true });
    const scale = scaleOf(entries);
    expect(scale.rests).toHaveLength(3);
    expect(scale.to - scale.from).toBeGreaterThan(DAY);
    const places = entries.map(({ at }) => scale.at(at));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places[0]).toBe(0);
    expect(places.at(-1)).toBeCloseTo(1);
    const rest = scale.rests.find(({ from, to }) => to - from >= DAY);
    expect(scale.at(rest?.to ?? 0) - scale.at(rest?.from ?? 0)).toBeLessThan(0.1);
  });

  it('marks its axis at even distances of work', () => {
    const scale = new TimeScale(1000, 11_000 + DAY, [{ from: 6000, to: 6000 + DAY }]);
    const ticks = scale.ticks(5);
    expect(ticks.map(({ workedMs }) => workedMs)).toEqual([0, 2000, 4000, 6000, 8000, 10_000]);
    expect(ticks[2]?.at).toBeCloseTo(scale.at(5000));
    expect(ticks[3]?.at).toBeCloseTo(scale.at(7000 + DAY));
  });

  it('steps by what people count in', () => {
    expect([0.3, 7, 13, 45, 210, 501, 999].map(niceStep)).toEqual([1, 10, 20, 50, 500, 1000, 1000]);
    expect([4000, 7000, 31_000, 500_000, 1e7, 1e9].map(niceStep)).toEqual([
      5000, 10_000, 60_000, 600_000, 21_600_000, 1_036_800_000,
    ]);
  });

  it('draws a run of a single moment', () => {
    const scale = new TimeScale(5, 5, []);
    expect(scale.at(5)).toBe(0);
    expect(scale.ticks(4)).toContainEqual({ at: 0, workedMs: 0 });
  });
});
