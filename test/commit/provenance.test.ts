import { type Agent, type Clock, done, type Entry, memoryStore, type Outcome, type Store, systemClock } from 'flyball';
import { type CommitLoopOptions, type CommitResult, verifyCommit } from 'flyball/loops';
import { type ScriptedModel, scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { auditLines, checkCommit, commitCourseOf, provenanceOf, verifyAudit, verifyProvenance } from 'flyball/views';
import { describe, expect, it } from 'vitest';
import type { TaskSpec } from '../../packages/flyball/src/core/work.js';
import { commitCoursesOf } from '../../packages/flyball/src/views/commit-course.js';
import { committedIn } from '../../packages/flyball/src/views/commit-course-check.js';
import { RUN, Stage } from '../runtime/stage.js';
import { everyAlteration } from './provenance-alterations.js';
import { criticized, judging, loopWith, PLAN, ROOMY, SMOOTH, TASK } from './stage-commit.js';

const look = tool({
  name: 'look_up',
  description: 'Looks a word up. Not for sentences.',
  input: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
  effect: 'pure',
  execute: async ({ word }) => {
    if (word === 'sun') throw new Error('the page is torn');
    return `${String(word)}: it pulls`;
  },
});

const proposes = (id: string, word: string) => ({
  toolCalls: [{ id, name: 'look_up', arguments: JSON.stringify({ word }) }],
});

interface Committed {
  readonly result: CommitResult;
  readonly entries: readonly Entry[];
  readonly store: Store;
}

/** Calls a tool twice, with and without success, and has to be repaired once. */
function looking(): ScriptedModel {
  const plan = JSON.parse(PLAN) as { steps: object[] };
  const steps = plan.steps.map((step) => ({ ...step, stepType: 'tool', requiredTools: ['look_up'] }));
  return scriptedModel({
    ...SMOOTH,
    planner: () => JSON.stringify({ ...plan, steps }),
    worker: ({ messages }) => {
      const made = messages.filter(({ role }) => role === 'tool').length;
      return [proposes('a', 'moon'), proposes('b', 'sun')][made] ?? 'Because it is so.';
    },
    judge: judging((shown) => ({ correctness: shown.includes('of the moon') ? 1 : 0.6 })),
    critic: () => criticized({ description: 'the moon is not named', line: 1 }),
    repairer: () => 'Because of the moon.',
  });
}

function lookingLoop(more: Partial<CommitLoopOptions> = {}): ReturnType<typeof loopWith> {
  const model = looking();
  const session = { name: 'worker', model, setup: 'You are the worker.' };
  return loopWith(model, {
    planner: { session: { name: 'planner', model }, tools: [look] },
    execution: { worker: { session, tools: [look] } },
    ...more,
  });
}

/** Approved by two people, each in a process of its own. */
async function committed(): Promise<Committed> {
  const store = memoryStore();
  const loop = lookingLoop({ store, approval: { people: 2 } });
  const stage = new Stage<Clock>(systemClock());
  const agent = (run: Parameters<typeof loop>[0], input: unknown) => loop(run, input as TaskSpec);
  const life = stage.open(agent);
  let outcome = (await life.start({ ...TASK, requiresApproval: true }, ROOMY)) as Outcome<CommitResult>;
  life.die();
  for (const from of ['ada', 'bob']) {
    expect(outcome).toMatchObject({ stop: 'suspended' });
    const next = stage.open(agent);
    const token = (await stage.events('wait-start')).at(-1)?.token ?? '';
    await next.runtime.signal(RUN, token, { verdict: 'approve' }, { from, scopes: ['*'] });
    outcome = (await next.resume()) as Outcome<CommitResult>;
    next.die();
  }
  if (outcome.stop !== 'done') throw new Error(`It ended ${JSON.stringify(outcome)}`);
  return { result: outcome.value, entries: await stage.entries(), store };
}

/** As another machine reads it: text, and nothing of the process that wrote it. */
const copied = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

describe('a committed result', () => {
  it('verifies offline, by itself and with the exported journal [R4-SHOW-PROVENANCE] [R4-COMMIT-RECORD]', async () => {
    const { result, entries, store } = await committed();
    const at = { tenant: 'default', owner: 'anonymous', collection: 'commits', key: result.provenance.taskHash };
    const stored = (await store.query({ ...at })).records;
    expect(stored.map(({ value }) => value)).toEqual([copied(result)]);
    expect(verifyCommit(copied(result))).toBe(true);

    const lines = auditLines(RUN, entries);
    expect(verifyAudit(lines)).toMatchObject({ ok: true, run: RUN });
    const read = lines.flatMap((line) => (JSON.parse(line) as { entry?: Entry }).entry ?? []);
    expect(verifyProvenance(copied(provenanceOf(RUN, read)))).toBe(true);
    expect(committedIn(read)).toEqual(copied(result));
    expect(checkCommit(copied(result), read)).toEqual({ ok: true });
  });

  it('names the tool calls, repairs and people that the journal holds [R4-SHOW-PROVENANCE] [R4-PEOPLE-PROVENANCE]', async () => {
    const { result, entries } = await committed();
    const { toolCalls, approvers, repairs, planHash } = result.provenance;
    expect(toolCalls.map(({ tool: name, ok }) => [name, ok])).toEqual([
      ['look_up', true],
      ['look_up', false],
    ]);
    const ends = entries.flatMap(({ event }) => (event.type === 'complete' || event.type === 'abort' ? [event] : []));
    for (const { effect, ok } of toolCalls)
      expect(ends.find(({ id }) => id === effect)?.type).toBe(ok ? 'complete' : 'abort');
    expect(approvers).toEqual(['ada', 'bob']);
    expect(repairs).toMatchObject([{ resolved: true }]);
    const noted = entries.flatMap(({ event }) => (event.type === 'note' ? [event.event] : []));
    expect(noted.some(({ kind, hash }) => kind === 'plan' && hash === planHash)).toBe(true);
    const course = commitCourseOf(entries);
    expect(course?.transitions.slice(0, -1)).toMatchObject(result.audit.transitions);
  });

  it('does not verify with any character, number, truth value or member altered [R4-SHOW-PROVENANCE]', async () => {
    const { result } = await committed();
    let tried = 0;
    const missed: string[] = [];
    for (const { what, altered } of everyAlteration(copied(result))) {
      tried++;
      if (verifies(altered)) missed.push(what);
    }
    expect(missed).toEqual([]);
    expect(tried).toBeGreaterThan(1000);
  });

  it('has a journal in which any altered byte is found [R4-SHOW-PROVENANCE]', async () => {
    const { entries } = await committed();
    const lines = auditLines(RUN, entries);
    const text = lines.join('\n');
    const missed: number[] = [];
    for (let at = 0; at < text.length; at += 97) {
      const other = text[at] === 'x' ? 'y' : 'x';
      if (verifyAudit(`${text.slice(0, at)}${other}${text.slice(at + 1)}`.split('\n')).ok) missed.push(at);
    }
    expect(missed).toEqual([]);
    for (const at of lines.keys()) expect(verifyAudit(lines.filter((_line, nth) => nth !== at)).ok).toBe(false);
  });
});

function verifies(altered: unknown): boolean {
  try {
    return verifyCommit(altered as CommitResult);
  } catch {
    return false; // a record without its parts is no result
  }
}

describe('results of one run', () => {
  it('are each compared with their own loop: as children, in a row, and beside other calls [R4-SHOW-PROVENANCE]', async () => {
    const loop = lookingLoop();
    const agent: Agent<unknown, unknown> = async (run) => {
      await run.call(look, { word: 'tide' });
      const child = await run.spawn(loop, { ...TASK, id: 'child' }, { share: 0.5 });
      const own = await loop(run, { ...TASK, id: 'own' });
      const second = await loop(run, { ...TASK, id: 'second' });
      await run.call(look, { word: 'ebb' });
      return done([child, own, second].map((ended) => (ended.stop === 'done' ? ended.value : ended)));
    };
    const stage = new Stage<Clock>(systemClock());
    const outcome = await stage.open(agent).start(null, ROOMY);
    const results = (outcome as { readonly value: readonly CommitResult[] }).value;
    const entries = await stage.entries();
    expect(results.map((result) => [result.provenance.task, checkCommit(result, entries)])).toEqual([
      ['child', { ok: true }],
      ['own', { ok: true }],
      ['second', { ok: true }],
    ]);
    expect(commitCoursesOf(entries).map(({ committed: isDone }) => isDone)).toEqual([true, true, true]);
    const [child, own] = results as [CommitResult, CommitResult];
    expect(checkCommit({ ...own, audit: child.audit }, entries)).toEqual({ ok: true }); // the same way
    expect(
      checkCommit({ ...own, provenance: { ...own.provenance, toolCalls: child.provenance.toolCalls } }, entries),
    ).toMatchObject({
      ok: false,
    });
  });
});

describe('a result that vouches for itself and does not fit its journal', () => {
  it.each<[string, (result: CommitResult) => CommitResult, RegExp]>([
    [
      'names a call that was not made',
      (r) => withCalls(r, [{ effect: '/act-3#99', tool: 'look_up', ok: true }]),
      /no tool call \/act-3#99/,
    ],
    [
      'names another tool',
      (r) =>
        withCalls(
          r,
          r.provenance.toolCalls.map((call) => ({ ...call, tool: 'guess' })),
        ),
      /was one of look_up, not of guess/,
    ],
    [
      'calls a failure a success',
      (r) =>
        withCalls(
          r,
          r.provenance.toolCalls.map((call) => ({ ...call, ok: true })),
        ),
      /did not succeed/,
    ],
    ['leaves a call out', (r) => withCalls(r, r.provenance.toolCalls.slice(1)), /is not named/],
    ['names a call twice', (r) => withCalls(r, [...r.provenance.toolCalls, ...r.provenance.toolCalls]), /no tool call/],
    ['names somebody who did not decide', (r) => with_(r, { approvers: ['ada', 'eve'] }), /approvers/],
    ['leaves out who decided', (r) => with_(r, { approvers: ['ada'] }), /approvers/],
    ['names another plan', (r) => with_(r, { planHash: 'f'.repeat(64) }), /no plan f{64}/],
    ['leaves a repair out', (r) => with_(r, { repairs: [] }), /repairs/],
    [
      'tells another course',
      (r) => ({ ...r, audit: { ...r.audit, transitions: r.audit.transitions.slice(1) } }),
      /transitions/,
    ],
    ['has other outputs', (r) => ({ ...r, outputs: { ...r.outputs, artefacts: [] } }), /outputs/],
    ['is of another task', (r) => with_(r, { taskHash: 'f'.repeat(64) }), /does not show that it was committed/],
    ['was not committed', (r) => with_(r, { hash: 'f'.repeat(64) }), /does not show that it was committed/],
    [
      'lacks a part',
      (r) => ({ ...r, provenance: undefined }) as unknown as CommitResult,
      /not a readable commit result/,
    ],
  ])('is found where it %s [R4-SHOW-PROVENANCE]', async (_how, alter, why) => {
    const { result, entries } = await once();
    const check = checkCommit(alter(result), entries);
    expect(check).toMatchObject({ ok: false, why: expect.stringMatching(why) as string });
  });
});

it('counts those who agreed in the phase that led to the commit, and nobody who agreed beside it [R4-PEOPLE-PROVENANCE]', async () => {
  const { result, entries } = await once();
  const beside = entries.map(({ event, ...where }): Entry => {
    if (event.type !== 'wait-start' && event.type !== 'wait-end') return { ...where, event };
    return { ...where, event: { ...event, id: event.id.replace(/\/untilApproved\.\d+\/(part|test)\.\d+/, '') } };
  });
  expect(JSON.stringify(beside)).not.toBe(JSON.stringify(entries));
  expect(checkCommit(copied(result), beside)).toEqual({ ok: false, why: 'its approvers are not those who agreed' });
});

let first: Promise<Committed> | undefined;
function once(): Promise<Committed> {
  first ??= committed();
  return first;
}

/** Hashes are left as they are: what is compared here is the journal. */
function with_(result: CommitResult, other: Partial<CommitResult['provenance']>): CommitResult {
  return { ...result, provenance: { ...result.provenance, ...other } };
}

function withCalls(result: CommitResult, toolCalls: CommitResult['provenance']['toolCalls']): CommitResult {
  return with_(result, { toolCalls });
}
