import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { done, type Outcome, type Run, type Tool, type Waiting } from 'flyball';
import { delegateTo, delegateTool } from 'flyball/tools';
import { describe, expect, it } from 'vitest';
import { newRunState, type RunState, STATE_RULES, type StateRules } from '../../packages/flyball/src/core/run-state.js';
import { load } from '../../packages/flyball/src/runtime/load.js';
import { indexJournal } from '../../packages/flyball/src/runtime/recorded.js';
import { lastOf, NO, toTheEnd, YES } from './fork-stage.js';
import { type Life, moving, RUN, type Stage } from './stage.js';

type Field = keyof RunState;
type Turn = keyof StateRules;
const FIELDS = Object.keys(STATE_RULES) as Field[];
const TURNS: readonly Turn[] = ['fork', 'liveFork', 'generation', 'era'];

const look: Tool<null, string> = { name: 'look', description: 'Looks.', effect: 'pure', execute: async () => 'seen' };
const broken: Tool<null, string> = {
  name: 'broken',
  description: 'Fails.',
  effect: 'pure',
  retry: { retries: 0 },
  execute: async () => {
    throw new Error('anybody could have written this');
  },
};

const pay: Tool<null, string> = { ...look, name: 'pay', description: 'Pays.', effect: { class: 'irreversible' } };

/** Leaves a trace in every field of the state, once in each of three generations, and then waits. */
async function everything(run: Run, input: unknown): Promise<Outcome<unknown>> {
  const generation = (input as number | null) ?? 0;
  run.pin('policy', 'strict');
  run.best('the best so far');
  run.note({ kind: 'private', tools: ['vault'] });
  run.note({ kind: 'loop-start', loop: '/work' });
  await run.call(look, null);
  await run.call(broken, null);
  await run.call(pay, null);
  await run.start('idle', null);
  await run.step('act', generation, () => generation, { class: 'idempotent', compensate: async () => undefined });
  const waiter = async (child: Run): Promise<Outcome<unknown>> => done(await child.wait({ name: `go ${generation}` }));
  await run.call(
    delegateTool({
      name: 'waits',
      description: 'Waits.',
      delegates: () => delegateTo(waiter, null, { share: 0.5 }),
    }),
    {},
  );
  return generation < 2 ? run.continueWith(generation + 1) : done(run.instructions().length);
}

/** What the run knows about itself after all that its journal holds. */
async function stateOf(stage: Stage<never>, runId: string): Promise<RunState> {
  const record = await stage.engine.get(runId);
  if (record === undefined) throw new Error(`There is no run ${runId}.`);
  const { entries } = await load(stage.engine, record, record.generation);
  return indexJournal(entries, { deep: false }).state.state();
}

/** Somebody lets the fork act, and does not let it pay. */
function decided({ kind, name }: Waiting): unknown {
  if (kind !== 'approval') return undefined;
  return name === 'approve:live-fork' ? YES : NO;
}

async function goOn(life: Life, runId: string, generation: number): Promise<void> {
  await life.runtime.signal(runId, `go ${generation}`, null, { from: 'bea' });
  await toTheEnd(life, runId, decided);
}

/** A live fork, in its second generation, that has something in every field: the state before each turn. */
async function played(): Promise<Readonly<Record<Turn, { readonly before: RunState; readonly after: RunState }>>> {
  const stage = moving();
  const idle = async (): Promise<Outcome<unknown>> => done(null);
  const life = stage.open(everything, { agents: { agent: everything, idle } });
  await life.start();
  // after it has looked: what its parent spent until then is not on the fork's bill
  const looked = (await stage.entries()).find(({ event }) => event.type === 'complete')?.seq ?? -1;
  await life.runtime.fork(RUN, { at: looked, live: true, id: 'full' });
  await toTheEnd(life, 'full', decided);
  await life.runtime.redirect('full', 'Be brief.', { by: 'ann' });
  await goOn(life, 'full', 0);
  const before = await stateOf(stage as never, 'full');
  const at = lastOf(await stage.entries('full'), 'wait-start', 1);
  const forked = async (live: boolean): Promise<RunState> => {
    const id = `fork-${live}`;
    await life.runtime.fork('full', { at, generation: 1, live, id, by: 'eve' });
    const [first] = await stage.entries(id);
    if (first?.event.type !== 'run-start' || first.event.fork === undefined) throw new Error('It is no fork.');
    return first.event.fork.state;
  };
  const [fork, liveFork] = [await forked(false), await forked(true)];
  await life.runtime.pause('full');
  await toTheEnd(life, 'full', () => undefined);
  await (await life.runtime.resume('full', { budget: { toolCalls: 9 } })).outcome();
  const era = await stateOf(stage as never, 'full');
  await goOn(life, 'full', 1);
  const started = (await stage.entries('full')).findLast(({ event }) => event.type === 'generation-start')?.event;
  if (started?.type !== 'generation-start') throw new Error('There is no further generation.');
  return {
    fork: { before, after: fork },
    liveFork: { before, after: liveFork },
    era: { before, after: era },
    generation: { before: era, after: started.state },
  };
}

describe('the state of a run', () => {
  let once: ReturnType<typeof played> | undefined;
  const turnsPlayed = (): ReturnType<typeof played> => {
    once ??= played();
    return once;
  };

  it.each(FIELDS)('%s: the run under test has something there', async (field) => {
    const turns = await turnsPlayed();
    for (const turn of TURNS) expect(turns[turn].before[field]).not.toEqual(newRunState('')[field]);
  });

  const cases = FIELDS.flatMap((field) => TURNS.map((turn) => [field, turn, STATE_RULES[field][turn]] as const));
  it.each(cases)('%s at %s: %s', async (field, turn, rule) => {
    const { before, after } = (await turnsPlayed())[turn];
    // what a generation itself spends and does is added to what it began with when it ends
    const grows = turn === 'generation' && (field === 'spent' || field === 'toUndo');
    if (rule === 'reset') expect(after[field]).toEqual(newRunState(before.subject)[field]);
    else if (!grows) expect(after[field]).toEqual(before[field]);
    else if (field === 'toUndo') expect([before.toUndo, after.toUndo]).toEqual([2, 4]);
    else expect([before.spent.toolCalls, after.spent.toolCalls]).toEqual([3, 7]);
  });

  it('is described in the decision record field by field, as the code has it', () => {
    const record = readFileSync(join(import.meta.dirname, '../../docs/decisions/0034-state-of-a-run.md'), 'utf8');
    const rows = [...record.matchAll(/^\| `(\w+)` \| (\w+) \| (\w+) \| (\w+) \| (\w+) \|/gm)];
    const told = rows.map(([, field, fork, liveFork, generation, era]) => [field, { fork, liveFork, generation, era }]);
    expect(Object.fromEntries(told)).toEqual(STATE_RULES);
  });
});
