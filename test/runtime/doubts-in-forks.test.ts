import { budget, done, type Outcome, type Run } from 'flyball';
import { describe, expect, it } from 'vitest';
import { answer, at, eventsOf, type Life, moving, RUN } from './stage.js';

const YES = { verdict: 'approve' } as const;
const FORK = 'fork';

/** Books without asking anybody, and does not know the first time whether it did. */
function booker() {
  const keys: string[] = [];
  const agent = async (run: Run): Promise<Outcome<unknown>> => {
    await run.step('think', null, () => 1, 'pure');
    const book = async (_: unknown, { key }: { readonly key: string }): Promise<string> => {
      keys.push(key);
      if (keys.filter((one) => one === key).length === 1) throw Object.assign(new Error('gone'), { inDoubt: true });
      return 'booked';
    };
    return done(await run.step('book', null, book, { class: 'undoable', compensate: async () => undefined }));
  };
  return { keys, agent };
}

async function begun(life: Life): Promise<unknown> {
  return (await life.runtime.start('agent', null, { id: RUN, budget: budget(), subject: 'ada' })).outcome();
}

/** By mallory, of everything up to the first entry of this type. */
async function liveFork(life: Life, upTo: string): Promise<Outcome<unknown>> {
  const entry = (await life.runtime.entries(RUN)).find(({ event }) => event.type === upTo);
  return (await life.runtime.fork(RUN, { at: entry?.seq ?? -1, id: FORK, live: true, by: 'mallory' })).outcome();
}

async function goOn(life: Life): Promise<Outcome<unknown>> {
  return (await life.runtime.resume(FORK)).outcome();
}

async function askedIn(life: Life): Promise<readonly string[]> {
  return eventsOf(await life.runtime.entries(FORK), 'wait-start').map(({ name }) => name);
}

const mayNot = { code: 'DENIED' };

describe('a doubt in a live fork about what nobody had to approve', () => {
  it('is settled by anybody once the fork may act, and by whoever forked it too [R7-APPROVE-DOUBTS]', async () => {
    const { keys, agent } = booker();
    const life = moving().open(agent);
    await begun(life);
    expect(await liveFork(life, 'complete')).toMatchObject({ waiting: [{ name: 'approve:live-fork' }] });
    const [ofTheRun] = keys;
    await expect(answer(life.runtime, FORK, 'approve:live-fork', YES, { from: 'mallory' })).rejects.toMatchObject(
      mayNot,
    );
    expect(keys).toEqual([ofTheRun]);
    await answer(life.runtime, FORK, 'approve:live-fork', YES);
    expect(await goOn(life)).toMatchObject({ waiting: [{ kind: 'doubt', name: 'doubt:#1' }] });
    expect(eventsOf(await life.runtime.entries(FORK), 'wait-start').at(-1)?.needs).toBeUndefined();
    await answer(life.runtime, FORK, 'doubt:#1', { happened: false }, { from: 'mallory' });
    expect(await goOn(life)).toMatchObject({ stop: 'done', value: 'booked' });
    expect(keys).toEqual([ofTheRun, 'fork:0:#1', 'fork:0:#1']);
    expect(await askedIn(life)).toEqual(['approve:live-fork', 'doubt:#1']); // what was said about the fork stands
  });

  it('is its own: the doubt of the run it was forked from is neither inherited nor settled there [R7-APPROVE-DOUBTS]', async () => {
    const { keys, agent } = booker();
    const life = moving().open(agent);
    expect(await begun(life)).toMatchObject({ waiting: [{ kind: 'doubt', name: 'doubt:#1' }] });
    await expect(liveFork(life, 'doubt')).rejects.toMatchObject({ code: 'FORK_REFUSED' });
    expect(await liveFork(life, 'complete')).toMatchObject({ waiting: [{ name: 'approve:live-fork' }] });
    await answer(life.runtime, FORK, 'approve:live-fork', YES);
    await goOn(life);
    await answer(life.runtime, FORK, 'doubt:#1', { happened: true, result: 'seen' });
    expect(await goOn(life)).toMatchObject({ stop: 'done', value: 'seen' });
    expect(keys).toEqual(['run:0:#1', 'fork:0:#1']);
    expect((await life.runtime.get(RUN)).waiting).toEqual(['doubt:#1']);
  });

  it('is asked after a crash without asking again whether the fork may act [R7-APPROVE-DOUBTS]', async () => {
    const { agent } = booker();
    const stage = moving();
    const first = stage.open(agent);
    await begun(first);
    await liveFork(first, 'complete');
    await answer(first.runtime, FORK, 'approve:live-fork', YES);
    first.die();
    const second = stage.open(agent, { crash: at('after', 'intent') });
    void goOn(second).catch(() => undefined);
    await second.crashed;
    second.die();
    const third = stage.open(agent);
    expect(await goOn(third)).toMatchObject({ waiting: [{ kind: 'doubt', name: 'doubt:#1' }] });
    expect(await askedIn(third)).toEqual(['approve:live-fork', 'doubt:#1']);
  });
});
