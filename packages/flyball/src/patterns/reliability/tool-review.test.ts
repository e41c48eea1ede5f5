import { type Agent, budget, createRuntime, done, memoryEngine, memoryStore, type Runtime } from 'flyball';
import { keptTools, type ToolReviewed, toolReview, toolUsesIn, useOf } from 'flyball/patterns';
import { approvalInbox } from 'flyball/people';
import { autoClock } from 'flyball/testing';
import { tool, toolset, toolUse } from 'flyball/tools';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';

const named = (name: string) =>
  tool({
    name,
    description: `Does ${name}. Not for anything else.`,
    input: z.object({}),
    effect: 'pure',
    execute: async () => name,
  });
const ALL = ['look_up', 'send_mail', 'old_report'].map(named);

/** An agent whose runs tell what became of their tools, and a review of it, over one database. */
/** `isWaiting`: a run waits in memory, so that time goes by and nobody answers. */
function bed({ isWaiting = false } = {}) {
  const clock = autoClock({ idleTurns: 40 });
  const [engine, store] = [memoryEngine(), memoryStore()];
  const worked: string[] = [];
  const clerk: Agent<readonly string[], readonly string[]> = async (run, calls) => {
    const tools = await keptTools(run, { name: 'clerk', store }, ALL);
    const view = toolset(tools);
    run.note(toolUse(view, calls));
    return done(view.names);
  };
  const record = async () => {
    const each = await Promise.all(worked.map((id) => runtime.entries(id)));
    return each.flatMap(toolUsesIn);
  };
  const review = toolReview({ name: 'clerk', record, store, rules: { timeoutMs: 60_000 } }, { everyRuns: 3 });
  const runtime: Runtime = createRuntime({
    engine,
    clock,
    options: { suspendAfterMs: isWaiting ? 1e9 : 1 },
    agents: { clerk: clerk as Agent<unknown, unknown>, review: review as Agent<unknown, unknown> },
  });
  onTestFinished(() => runtime.close());
  const inbox = approvalInbox({ runtime, store, clock });
  return {
    runtime,
    /** Runs that call these tools. Answers which tools the last one had. */
    async work(times: number, ...calls: readonly string[]): Promise<unknown> {
      let loaded: unknown;
      for (let n = 0; n < times; n++) {
        const handle = await runtime.start('clerk', calls, { budget: budget() });
        worked.push(handle.id);
        const outcome = await handle.outcome();
        loaded = 'value' in outcome ? outcome.value : outcome;
      }
      return loaded;
    },
    /** One review: what a person was asked, and what it came to after these answers. */
    async reviewed(...verdicts: readonly unknown[]) {
      const handle = await runtime.start('review', null, { budget: budget({ wallMs: 1e7 }) });
      let outcome = await handle.outcome();
      const asked: unknown[] = [];
      for (const verdict of verdicts) {
        const open = (await inbox.list()).items.find(({ run, status }) => run === handle.id && status === 'open');
        if (open === undefined) break;
        asked.push(open.request);
        await runtime.signal(handle.id, open.token, verdict, { from: 'rita' });
        outcome = await (await runtime.resume(handle.id)).outcome();
      }
      return { asked, value: 'value' in outcome ? (outcome.value as ToolReviewed) : undefined, id: handle.id };
    },
  };
}

const YES = { verdict: 'approve' };
const NO = { verdict: 'reject', reason: 'It is for the end of the year.' };

describe('toolReview', () => {
  it('proposes tools that were loaded in vain, and drops them after a yes [V13.9]', async () => {
    const { work, reviewed } = bed();
    await work(3, 'look_up', 'send_mail');
    expect(await reviewed(YES)).toMatchObject({
      asked: [{ action: 'drop_tools', output: { tools: [{ tool: 'old_report', loaded: 3, called: 0 }], runs: 3 } }],
      value: { isDue: true, proposed: ['old_report'], dropped: ['old_report'] },
    });
    expect(await work(1, 'look_up')).toEqual(['look_up', 'send_mail']);
  });

  it('recurs: it is due again after so many runs, and not before [V13.9]', async () => {
    const { work, reviewed } = bed();
    await work(2, 'look_up', 'send_mail');
    expect((await reviewed()).value).toEqual({ isDue: false, proposed: [], dropped: [] });
    await work(1, 'look_up', 'send_mail');
    await reviewed(YES);
    expect((await reviewed()).value).toMatchObject({ isDue: false, dropped: ['old_report'] });
    await work(3, 'look_up');
    expect(await reviewed(YES)).toMatchObject({
      asked: [{ output: { tools: [{ tool: 'send_mail', loaded: 6, called: 3, inVain: 3 }] } }],
      value: { dropped: ['old_report', 'send_mail'] },
    });
  });

  it('takes a no as final until the tool has been called again [V13.9]', async () => {
    const { work, reviewed } = bed();
    await work(3, 'look_up', 'send_mail');
    expect(await reviewed(NO)).toMatchObject({ value: { proposed: ['old_report'], dropped: [] } });
    await work(3, 'look_up', 'send_mail');
    expect(await reviewed(YES)).toMatchObject({ asked: [], value: { isDue: true, proposed: [], dropped: [] } });
    await work(1, 'look_up', 'send_mail', 'old_report');
    await work(3, 'look_up', 'send_mail');
    expect(await reviewed(YES)).toMatchObject({ value: { proposed: ['old_report'], dropped: ['old_report'] } });
  });

  it('drops nothing without a yes: a person who shortens the list is asked again [V13.9]', async () => {
    const { work, reviewed } = bed();
    await work(3, 'look_up');
    const { asked, value } = await reviewed({ verdict: 'modify', value: ['send_mail', 'look_up'] }, YES);
    expect(asked).toMatchObject([{}, { output: { tools: [{ tool: 'send_mail' }] } }]);
    expect(value).toMatchObject({ proposed: ['old_report', 'send_mail'], dropped: ['send_mail'] });
    expect(await work(3, 'look_up')).toEqual(['look_up', 'old_report']);
  });

  it('drops nothing where nobody decides, and asks again the next time [V13.9]', async () => {
    const { work, reviewed } = bed({ isWaiting: true });
    await work(3, 'look_up', 'send_mail');
    const silence = { isDue: true, proposed: ['old_report'], dropped: [] };
    expect((await reviewed()).value).toEqual(silence);
    expect((await reviewed()).value).toEqual(silence);
  });

  it('needs a whole number of runs, and calls no model [R11-PATTERN-USE]', () => {
    const parts = { name: 'clerk', record: async () => [], store: memoryStore() };
    expect(() => toolReview(parts, { everyRuns: 0 })).toThrow('toolReview (V13) needs everyRuns');
    expect(useOf(toolReview(parts))).toMatchObject({ id: 'V13', predicted: { min: 0, max: 0 } });
  });
});
