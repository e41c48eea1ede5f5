import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { budget, createRuntime, done, memoryStore, type Run, systemClock } from 'flyball';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { approvalInbox, confirmTool, type InboxItem, numberTool, requestApproval } from 'flyball/people';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AnyAgent } from '../../packages/flyball/src/core/agent-types.js';
import { stricter, type Verdict } from '../../packages/flyball/src/core/approval.js';
import type { Tool } from '../../packages/flyball/src/core/tool.js';
import type { InboxParts } from '../../packages/flyball/src/people/approval-inbox.js';
import { answer, gate, moving } from '../runtime/stage.js';
import '@cfworker/json-schema'; // loaded now: with a clock that moves by itself, loading takes hours

const sent: unknown[] = [];

const mail: Tool<{ readonly to: string }, string> = {
  name: 'send_email',
  description: 'Sends an e-mail.',
  effect: { class: 'irreversible', why: 'it leaves the house' },
  approval: { scopes: ['mail:send'], timeoutMs: 3_600_000, escalation: [{ to: 'the head', scopes: ['mail:head'] }] },
  review: ({ to }) => ({
    expectedEffect: `${to} reads it within minutes`,
    undo: 'It cannot be taken back.',
    alternatives: ['keep it as a draft'],
    confidence: 0.9,
    risk: 'high',
    recommendation: 'approve',
  }),
  execute: async (args) => {
    sent.push(args);
    return 'sent';
  },
};

const mailing: AnyAgent = async (run: Run) => done(await run.call(mail, { to: 'ada' }));
const asking: AnyAgent = async (run: Run) => done(await run.call(confirmTool({ risk: 'low' }), { prompt: 'Go on?' }));

/** A process with an inbox over everything that outlives it. */
function desk(agent: AnyAgent, parts: Partial<InboxParts> = {}, stage = moving(), options = {}) {
  const store = parts.store ?? memoryStore();
  const { runtime, die } = stage.open(agent, { options });
  const inbox = approvalInbox({ runtime, store, clock: stage.clock, ...parts });
  const start = async (id: string, tenant = 'default') =>
    (await runtime.start('agent', null, { id, tenant, budget: budget({}) })).outcome();
  return { stage, store, runtime, inbox, start, die };
}

const ada = { by: 'ada', scopes: ['mail:send'] };
const approve: Verdict = { verdict: 'approve' };
const only = (items: readonly InboxItem[]): InboxItem => {
  expect(items).toHaveLength(1);
  return items[0] as InboxItem;
};

describe('an approval inbox', () => {
  it('holds each open request with all that a person has to know, across runs [R4-PEOPLE-INBOX]', async () => {
    const { inbox, start } = desk(mailing);
    await start('r1');
    await start('r2');
    const { items } = await inbox.list();
    expect(items.map(({ run }) => run)).toEqual(['r1', 'r2']);
    expect(items[0]).toMatchObject({
      kind: 'approval',
      about: 'send_email',
      why: 'it leaves the house',
      risk: 'high',
      status: 'open',
      overdue: false,
      scopes: ['mail:send'],
      due: expect.any(Number) as number,
      request: {
        input: { to: 'ada' },
        expectedEffect: 'ada reads it within minutes',
        undo: 'It cannot be taken back.',
        alternatives: ['keep it as a draft'],
        confidence: 0.9,
        recommendation: 'approve',
      },
    });
  });

  it('holds outputs with their scores, and questions [R4-PEOPLE-INBOX]', async () => {
    const request = {
      action: 'commit',
      output: 'text',
      scores: { correctness: 0.9 },
      confidence: 0.8,
      risk: 'low',
    } as const;
    const agent: AnyAgent = async (run: Run) => done(await requestApproval(run, request, {}, 'review'));
    const outputs = desk(agent);
    await outputs.start('r1');
    expect(only((await outputs.inbox.list()).items)).toMatchObject({ kind: 'approval', about: 'commit', request });
    const questions = desk(asking);
    await questions.start('r1');
    expect(only((await questions.inbox.list()).items)).toMatchObject({
      kind: 'question',
      about: 'confirm',
      why: 'Go on?',
      risk: 'low',
      answer: { type: 'boolean' },
    });
  });

  it('is found again by a process that was not there, from the journals alone [R4-PEOPLE-INBOX]', async () => {
    const first = desk(mailing);
    await first.start('r1');
    const found = only((await first.inbox.list()).items);
    first.die();
    const second = desk(mailing, { store: memoryStore() }, first.stage);
    expect((await second.inbox.list()).items).toEqual([]);
    await second.inbox.sync();
    expect(only((await second.inbox.list()).items)).toEqual(found);
  });

  it('sends a verdict to its run, and says afterwards who decided [R4-PEOPLE-INBOX] [R4-PEOPLE-PROVENANCE]', async () => {
    sent.length = 0;
    const { inbox, start, runtime } = desk(mailing);
    await start('r1');
    const { id } = only((await inbox.list()).items);
    await inbox.decide(id, { verdict: 'approve', reason: 'agreed by phone' }, ada);
    expect(await (await runtime.wake('r1')).outcome()).toMatchObject({ stop: 'done' });
    expect(sent).toEqual([{ to: 'ada' }]);
    expect(await inbox.get(id)).toMatchObject({
      status: 'decided',
      decision: { verdict: 'approve', by: 'ada', reason: 'agreed by phone', at: expect.any(Number) as number },
    });
    expect((await inbox.list({ status: 'open' })).items).toEqual([]);
  });

  it('gives the answer to a question to its run', async () => {
    const { inbox, start, runtime } = desk(asking);
    await start('r1');
    const { id } = only((await inbox.list()).items);
    await expect(inbox.decide(id, approve, ada)).rejects.toMatchObject({ code: 'SIGNAL_INVALID' });
    await inbox.answer(id, true, { by: 'ada', scopes: [] });
    expect(await (await runtime.wake('r1')).outcome()).toMatchObject({ value: { ok: true, value: true } });
    expect(await inbox.get(id)).toMatchObject({ status: 'decided', decision: { by: 'ada', value: true } });
  });

  it('refuses who has no scope for it, and the request stays open [R4-PEOPLE-SCOPES] [R4-SHOW-BAD-INPUT]', async () => {
    const { inbox, start } = desk(mailing);
    await start('r1');
    const { id } = only((await inbox.list()).items);
    await expect(inbox.decide(id, approve, { by: 'bob', scopes: ['mail:read'] })).rejects.toMatchObject({
      code: 'DENIED',
      message: 'bob may not decide about send_email: it requires the scope mail:send. The request stays open.',
    });
    expect(await inbox.get(id)).toMatchObject({ status: 'open' });
    await expect(inbox.decide(id, approve, { by: 'root', scopes: ['*'] })).resolves.toBeUndefined();
  });

  it('refuses a second verdict and says who was first, also before the first was taken [R4-PEOPLE-TWICE] [R4-SHOW-BAD-INPUT]', async () => {
    sent.length = 0;
    const { inbox, start, runtime } = desk(mailing);
    await start('r1');
    const { id } = only((await inbox.list()).items);
    await inbox.decide(id, approve, ada);
    const no: Verdict = { verdict: 'reject', reason: 'wait' };
    await expect(inbox.decide(id, no, { by: 'bob', scopes: ['*'] })).rejects.toMatchObject({
      code: 'SIGNAL_UNEXPECTED',
      message: expect.stringContaining('ada has already answered') as string,
    });
    await (await runtime.wake('r1')).outcome();
    await expect(inbox.decide(id, no, { by: 'bob', scopes: ['*'] })).rejects.toMatchObject({
      code: 'SIGNAL_UNEXPECTED',
      message: expect.stringMatching(/send_email is closed: ada said approve at 20.*Nothing was changed/) as string,
    });
    expect(sent).toHaveLength(1);
  });

  it('refuses a verdict after the deadline, although nobody has noticed that it passed [R4-PEOPLE-TWICE] [R4-SHOW-BAD-INPUT]', async () => {
    const first = desk(mailing);
    await first.start('r1');
    const { id, due = 0 } = only((await first.inbox.list()).items);
    const late = approvalInbox({ runtime: first.runtime, store: first.store, clock: { now: () => due + 1 } });
    expect(await late.get(id)).toMatchObject({ status: 'open', overdue: true });
    await expect(late.decide(id, approve, ada)).rejects.toMatchObject({
      code: 'SIGNAL_UNEXPECTED',
      message: expect.stringContaining(`deadline passed at ${new Date(due).toISOString()}`) as string,
    });
  });

  it('counts one person once where two have to agree [R4-PEOPLE-TWO]', async () => {
    sent.length = 0;
    const twice: Tool<{ readonly to: string }, string> = { ...mail, approval: { people: 2 } };
    const { inbox, start, runtime } = desk(async (run: Run) => done(await run.call(twice, { to: 'ada' })));
    await start('r1');
    await inbox.decide(only((await inbox.list()).items).id, approve, ada);
    await (await runtime.wake('r1')).outcome();
    const second = only((await inbox.list({ status: 'open' })).items);
    expect(second).toMatchObject({ notBy: ['ada'], request: { people: 2 } });
    await expect(inbox.decide(second.id, approve, ada)).rejects.toMatchObject({
      code: 'DENIED',
      message:
        'ada may not decide about send_email: they have already agreed, and another person is required. The request stays open.',
    });
    await expect(inbox.decide(second.id, approve, { ...ada, by: ' Ada' })).rejects.toMatchObject({
      message: expect.stringContaining('have already agreed'), // another spelling is no other person
    });
    await expect(inbox.decide(second.id, approve, { ...ada, by: ' ' })).rejects.toMatchObject({
      code: 'DENIED',
      message: expect.stringContaining('can only be decided by an identified person'),
    });
    await inbox.decide(second.id, approve, { by: 'bob', scopes: [] });
    expect(await (await runtime.wake('r1')).outcome()).toMatchObject({ stop: 'done' });
    expect(sent).toHaveLength(1);
    expect(await inbox.history(second.id)).toMatchObject([
      { by: 'ada', verdict: 'approve' },
      { by: 'bob', verdict: 'approve' },
    ]);
  });

  it('asks for a scope of each list where several rules have to hold [R4-PEOPLE-SCOPES]', async () => {
    const rules = stricter({ scopes: ['cfo'] }, { scopes: ['ops', 'legal'] });
    const { inbox, start, runtime } = desk(async (run: Run) =>
      done((await requestApproval(run, { action: 'publish' }, rules, 'review')).verdict),
    );
    await start('r1');
    const item = only((await inbox.list()).items);
    expect(item).toMatchObject({ scopes: ['cfo'], alsoScopes: [['ops', 'legal']] });
    for (const scopes of [['cfo'], ['ops', 'legal']])
      await expect(inbox.decide(item.id, approve, { by: 'ada', scopes })).rejects.toMatchObject({
        code: 'DENIED',
        message: expect.stringContaining('it requires the scope cfo, and ops or legal'),
      });
    expect((await inbox.list({ scope: 'cfo' })).items).toEqual([]); // it is not enough
    await inbox.decide(item.id, approve, { by: 'ada', scopes: ['cfo', 'legal'] });
    expect(await (await runtime.wake('r1')).outcome()).toMatchObject({ stop: 'done', value: 'approved' });
  });

  it('shows what was escalated to those who are asked next, with who escalated it [R4-PEOPLE-ESCALATE]', async () => {
    const { inbox, start, runtime } = desk(mailing);
    await start('r1');
    const first = only((await inbox.list()).items);
    await inbox.decide(first.id, { verdict: 'escalate', reason: 'above me' }, ada);
    await (await runtime.wake('r1')).outcome();
    const next = only((await inbox.list({ status: 'open' })).items);
    expect(next).toMatchObject({
      scopes: ['mail:head'],
      request: { to: 'the head', history: [{ by: 'ada', reason: 'above me' }] },
    });
    expect((await inbox.list({ scope: 'mail:send', status: 'open' })).items).toEqual([]);
    expect((await inbox.list({ scope: 'mail:head', status: 'open' })).items).toHaveLength(1);
  });

  it.each<readonly [string, unknown, string]>([
    ['a rejection without a reason', { verdict: 'reject' }, 'reject requires a reason'],
    ['an escalation without a reason', { verdict: 'escalate', reason: ' ' }, 'escalate requires a reason'],
    ['a modification of nothing', { verdict: 'modify' }, 'modify requires a value'],
    ['no verdict', 'yes', 'a verdict is one of'],
  ])('refuses %s, and the request stays open [R4-PEOPLE-VERDICTS]', async (_, verdict, sentence) => {
    const { inbox, start } = desk(mailing);
    await start('r1');
    const { id } = only((await inbox.list()).items);
    await expect(inbox.decide(id, verdict as Verdict, ada)).rejects.toMatchObject({
      code: 'SIGNAL_INVALID',
      message: expect.stringContaining(sentence) as string,
    });
    expect(await inbox.get(id)).toMatchObject({ status: 'open' });
  });

  it('tells of requests that nobody answered in time, and of those that were withdrawn [R4-PEOPLE-INBOX]', async () => {
    const agent: AnyAgent = async (run: Run) => {
      const gone = await run.call(numberTool({ timeoutMs: 60_000 }), { prompt: 'How many?' });
      return done([gone, await run.call(confirmTool(), { prompt: 'Without it?' })]);
    };
    const { inbox, runtime, start } = desk(agent, {}, moving(), { worker: true });
    const later = new Promise<void>((resolve) => {
      runtime.subscribe((_run, entries) => {
        if (entries.some(({ event }) => event.type === 'wait-start' && event.name === 'answer:#1')) resolve();
      });
    });
    await start('r1');
    const end = runtime.handle('r1').finished();
    await later;
    await runtime.cancel('r1', { by: 'ada', why: 'no longer needed' });
    expect(await end).toMatchObject({ stop: 'cancelled' });
    expect((await inbox.list()).items.map(({ about, status }) => [about, status])).toEqual([
      ['ask_number', 'timed-out'],
      ['confirm', 'withdrawn'],
    ]);
    expect(await inbox.metrics()).toMatchObject({ open: 0, deadlineMisses: 1 });
  });

  it('hears of what ended elsewhere when it is asked to look [R4-PEOPLE-INBOX]', async () => {
    const here = desk(asking);
    await here.start('r1');
    const { id } = only((await here.inbox.list()).items);
    here.die();
    const { runtime } = here.stage.open(asking);
    await answer(runtime, 'r1', 'answer:#0', true, { from: 'bob' });
    expect(await (await runtime.wake('r1')).outcome()).toMatchObject({ stop: 'done' });
    expect(await here.inbox.get(id)).toMatchObject({ status: 'open' });
    await here.inbox.sync();
    expect(await here.inbox.get(id)).toMatchObject({ status: 'decided', decision: { by: 'bob' } });
  });

  it('withdraws what a bound closes, and asks again when the run goes on under a larger one', async () => {
    const agent: AnyAgent = async (run: Run) => {
      const both = await run.all<unknown>(
        [
          (on) => on.call(confirmTool(), { prompt: 'Go on?' }),
          (on) => on.call({ ...mail, effect: 'pure' }, { to: 'eve' }),
        ],
        2,
      );
      return done(both.length);
    };
    const { inbox, runtime } = desk(agent);
    const handle = await runtime.start('agent', null, { id: 'r1', budget: budget({ toolCalls: 1 }) });
    expect(await handle.outcome()).toMatchObject({ stop: 'bounded' });
    expect(only((await inbox.list()).items)).toMatchObject({ about: 'confirm', status: 'withdrawn' });
    const again = await runtime.resume('r1', { budget: { toolCalls: 5 } });
    expect(await again.outcome()).toMatchObject({ stop: 'suspended' });
    expect(only((await inbox.list()).items)).toMatchObject({ about: 'confirm', status: 'open' });
  });

  it('withdraws the question of a branch that lost and was taken back [R4-PEOPLE-INBOX]', async () => {
    const [isAsked, hasWon, works] = [gate(), gate(), gate()];
    const undoable = { class: 'undoable', compensate: async () => undefined } as const;
    const { inbox, start, runtime } = desk(async (run: Run) => {
      const asks = (branch: Run) => branch.call(confirmTool({}), { prompt: 'Go on?' });
      const acts = (branch: Run) => branch.step('work', null, () => works.opened, undoable);
      const wins = (branch: Run) => branch.step('win', null, () => hasWon.opened, 'idempotent');
      await run.first<unknown>([(branch) => branch.all<unknown>([acts, asks], 2), wins]);
      return done(await run.wait({ name: 'later' }));
    });
    runtime.subscribe((_run, entries) => {
      if (entries.some(({ event }) => event.type === 'wait-start')) isAsked.open();
    });
    const started = start('r1');
    await isAsked.opened;
    hasWon.open(); // what the other one has in flight is seen to its end before it is taken back
    const lost = only((await inbox.list({ status: 'open' })).items);
    works.open();
    expect(await started).toMatchObject({ waiting: [{ name: 'later' }] });
    expect((await inbox.list({ status: 'open' })).items).toEqual([]);
    expect(await inbox.get(lost.id)).toMatchObject({ status: 'withdrawn' });
    await expect(inbox.answer(lost.id, true, ada)).rejects.toMatchObject({
      code: 'SIGNAL_UNEXPECTED',
      message: expect.stringContaining('the run no longer waits for it'),
    });
  });

  it('withdraws what was asked in a generation that is over [R4-PEOPLE-INBOX]', async () => {
    const isAsked = gate();
    const { inbox, start, runtime } = desk(async (run: Run, state) => {
      if (state === 'second') return done(await run.wait({ name: 'later' }));
      const asks = (branch: Run) => branch.call(confirmTool({}), { prompt: 'Go on?' });
      await run.first<unknown>([asks, (branch) => branch.step('work', null, () => isAsked.opened, 'idempotent')]);
      return run.continueWith('second');
    });
    runtime.subscribe((_run, entries) => {
      if (entries.some(({ event }) => event.type === 'wait-start')) isAsked.open();
    });
    await start('r1');
    expect((await inbox.list({ status: 'open' })).items).toEqual([]);
    expect(only((await inbox.list()).items)).toMatchObject({ status: 'withdrawn', why: 'Go on?' });
  });

  it('leaves to a run what its forks inherited from it', async () => {
    const agent: AnyAgent = async (run: Run) => {
      await run.call(confirmTool(), { prompt: 'Go on?' });
      await run.wait({ name: 'more' });
      return done(null);
    };
    const { inbox, runtime, start } = desk(agent);
    await start('r1');
    await inbox.answer(only((await inbox.list()).items).id, true, ada);
    await (await runtime.wake('r1')).outcome();
    const at = (await runtime.entries('r1')).findLast(({ event }) => event.type === 'complete')?.seq ?? 0;
    await (await runtime.fork('r1', { at, id: 'f1' })).outcome();
    await inbox.sync();
    expect((await inbox.list()).items.map(({ run }) => run)).toEqual(['r1']);
  });

  it('shows only the requests of its own tenant', async () => {
    const { inbox, start, store, runtime, stage } = desk(asking);
    await start('r1');
    await start('r2', 'acme');
    await inbox.sync();
    expect((await inbox.list()).items.map(({ run }) => run)).toEqual(['r1']);
    const acme = approvalInbox({ runtime, store, clock: stage.clock, tenant: 'acme' });
    await acme.sync();
    expect((await acme.list()).items.map(({ run }) => run)).toEqual(['r2']);
  });

  it('is read page by page, filtered by run and risk', async () => {
    const { inbox, start } = desk(asking);
    for (const id of ['r1', 'r2', 'r3']) await start(id);
    const first = await inbox.list({ limit: 2 });
    expect(first.items.map(({ run }) => run)).toEqual(['r1', 'r2']);
    const second = await inbox.list({ limit: 2, cursor: first.cursor ?? '' });
    expect(second.items.map(({ run }) => run)).toEqual(['r3']);
    expect((await inbox.list({ run: 'r2' })).items.map(({ run }) => run)).toEqual(['r2']);
    expect((await inbox.list({ risk: 'critical' })).items).toEqual([]);
  });

  it('raises the alarm when nearly everything is approved as it is, and when too little is', async () => {
    const measure = async (verdicts: readonly Verdict[]) => {
      const { inbox, start, runtime } = desk(mailing);
      for (const [n, verdict] of verdicts.entries()) {
        await start(`r${n}`);
        const { id } = only((await inbox.list({ run: `r${n}`, status: 'open' })).items);
        await inbox.decide(id, verdict, ada);
        await (await runtime.wake(`r${n}`)).outcome();
      }
      return inbox.metrics({ minimum: 4 });
    };
    const no: Verdict = { verdict: 'reject', reason: 'no' };
    expect(await measure([approve, approve, approve, approve])).toMatchObject({
      unmodifiedShare: 1,
      alarms: ['rubber-stamping'],
    });
    expect(await measure([approve, no, no, no])).toMatchObject({
      unmodifiedShare: 0.25,
      rejected: 3,
      alarms: ['poor-proposals'],
    });
    expect(await measure([approve, approve, no, no])).toMatchObject({ unmodifiedShare: 0.5, alarms: [] });
    expect(await measure([no])).toMatchObject({ alarms: [] }); // one says nothing
  });

  it('counts what was modified before it was approved as modified, from a time on', async () => {
    const { inbox, start, runtime } = desk(mailing);
    await start('r1');
    for (const verdict of [{ verdict: 'modify', value: { to: 'eve' } }, approve] as const) {
      await inbox.decide(only((await inbox.list({ status: 'open' })).items).id, verdict, ada);
      await (await runtime.wake('r1')).outcome();
    }
    expect(await inbox.metrics()).toMatchObject({ verdicts: 2, approved: 1, modified: 1, unmodifiedShare: 0 });
    expect(await inbox.metrics({ since: Number.MAX_SAFE_INTEGER })).toMatchObject({ verdicts: 0 });
  });

  it('tells the next caller when a record could not be written', async () => {
    const broken = { ...memoryStore(), propose: async () => Promise.reject(new Error('the disk is full')) };
    const { inbox, start } = desk(asking, { store: broken });
    await start('r1');
    await expect(inbox.list()).rejects.toThrow('the disk is full');
  });

  it('lives in a database that a restarted process opens again [R4-PEOPLE-INBOX]', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'flyball-inbox-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const open = async () => {
      const engine = await sqliteEngine({ path: join(folder, 'runs.db') });
      const runtime = createRuntime({ engine, agents: { mailing }, options: { worker: false } });
      const inbox = approvalInbox({ runtime, store: engine.store, clock: systemClock() });
      const close = async () => {
        await runtime.close();
        await engine.close();
      };
      return { runtime, inbox, close };
    };
    const first = await open();
    await (await first.runtime.start('mailing', null, { id: 'r1', budget: budget({}) })).outcome();
    const { id } = only((await first.inbox.list()).items);
    await first.close();
    const second = await open();
    expect(await second.inbox.get(id)).toMatchObject({ about: 'send_email', status: 'open' });
    await second.inbox.decide(id, { verdict: 'reject', reason: 'not today' }, ada);
    expect(await (await second.runtime.wake('r1')).outcome()).toMatchObject({ stop: 'done', value: { ok: false } });
    expect(await second.inbox.get(id)).toMatchObject({
      status: 'decided',
      decision: { by: 'ada', reason: 'not today' },
    });
    await second.close();
  });
});
