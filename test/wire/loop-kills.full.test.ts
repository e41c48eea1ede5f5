import type { EventType, Outcome } from 'flyball';
import type { ToolLoopResult } from 'flyball/loops';
import { type ModelServer, modelServer, type ServedRequest } from 'flyball/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ServerReplyParts } from '../../packages/flyball/src/testing/model-server/server-script.js';
import { type Desk, newDesk } from '../processes/desk.js';
import type { LoopJob } from '../programs/loop-process.js';
import { LATER_MS } from '../programs/process-agents.js';
import { repetitions } from '../repetitions.js';
import { endLives, type LoopLife, newLife } from './loop-life.js';

const RUNS = repetitions({ sample: 1, full: 1 });

const call = (id: string, name: string, line: string) => ({ id, name, arguments: JSON.stringify({ line }) });
const TURNS: readonly ServerReplyParts[] = [
  { text: 'First this.', toolCalls: [call('c1', 'look', 'the shelf'), call('c2', 'note_down', 'two books')] },
  { text: 'Then that.', toolCalls: [call('c3', 'book', 'two seats')] },
  { text: 'All is in the book.' },
  { text: 'All is in the book, checked.' },
];

/** A moment at which the process is killed. */
type Moment =
  | { readonly at: 'commit'; readonly entry: EventType; readonly when: 'before' | 'after' }
  | { readonly at: 'hold'; readonly where: NonNullable<LoopJob['holdAt']> }
  | { readonly at: 'in-flight' | 'mid-stream' };

const around = (entry: EventType): readonly Moment[] => [
  { at: 'commit', entry, when: 'before' },
  { at: 'commit', entry, when: 'after' },
];
const OF_A_CALL: readonly Moment[] = [
  ...around('ask-start'),
  { at: 'in-flight' },
  { at: 'mid-stream' },
  { at: 'hold', where: 'reply' },
  ...around('ask-end'),
];
const OF_A_TOOL: readonly Moment[] = [
  ...around('intent'),
  { at: 'hold', where: 'before-effect' },
  { at: 'hold', where: 'after-effect' },
  ...around('complete'),
];
/** Every moment of every call, in the order in which the loop gets to them. */
const MOMENTS: readonly Moment[] = TURNS.flatMap(({ toolCalls = [] }) => [
  ...OF_A_CALL,
  ...(toolCalls.length > 0 ? OF_A_TOOL : []),
]);
/** Of the moments of a call: in these the request was out, and its reply was not in the journal. */
const LOST_REQUESTS = 4;

let desk: Desk;
beforeEach(async () => {
  desk = await newDesk();
});
afterEach(async () => {
  endLives();
  await desk.close();
});

it('a loop killed at every moment pays no journaled reply twice and acts once [R3-SHOW-CRASH]', async () => {
  for (let nth = 1; nth <= RUNS; nth++) {
    const run = `killed-${nth}`;
    const { server, again, plan } = await modelFor(run);
    try {
      const { outcome, kills } = await liveThrough(run, server, plan);
      expect(outcome).toMatchObject({
        stop: 'done',
        value: { output: 'All is in the book, checked.', iterations: 4, toolsUsed: ['look', 'note_down', 'book'] },
      });
      expect(kills).toBe(MOMENTS.length);
      expect(kills).toBeGreaterThanOrEqual(25);
      await expectOnce(run);
      expect(again, 'requests for a reply that was in the journal already').toEqual([]);
      expectRequests(server.requests, kills);
      // a call that a kill cut off may have been paid for: it stands apart from what was surely used
      const { modelCalls = 0, possibly } = outcome.usage ?? {};
      expect(modelCalls + (possibly?.modelCalls ?? 0)).toBe((await desk.events(run, 'ask-start')).length);
      server.assertFinished();
    } finally {
      await server.close();
    }
  }
});

interface Plan {
  /** What becomes of the next request. */
  fate: 'answered' | 'in-flight' | 'mid-stream';
}

/** Answers by how far the conversation is, and looks into the journal whether it needed to be asked. */
async function modelFor(run: string): Promise<{ server: ModelServer; again: string[]; plan: Plan }> {
  const plan: Plan = { fate: 'answered' };
  const again: string[] = [];
  const never = new Promise<never>(() => undefined);
  const server = await modelServer({
    replies: async (request) => {
      const turn = turnOf(request);
      const journaled = (await desk.events(run, 'ask-end')).length;
      if (journaled !== turn) again.push(`turn ${turn}, with ${journaled} replies in the journal`);
      const reply = TURNS[turn] ?? {};
      if (plan.fate === 'in-flight') return { misbehave: 'hang' };
      return plan.fate === 'mid-stream' ? { ...reply, misbehave: 'slow', gate: never } : reply;
    },
  });
  return { server, again, plan };
}

function turnOf({ messages }: ServedRequest): number {
  return messages.filter(({ role }) => role === 'assistant').length;
}

/** One life for every moment, and a last one that is left in peace. */
async function liveThrough(
  run: string,
  server: ModelServer,
  plan: Plan,
): Promise<{ readonly outcome: Outcome<ToolLoopResult>; readonly kills: number }> {
  const base = { path: desk.path, run, model: server.baseUrl('openai-chat'), ledger: desk.ledger.url };
  let standby = newLife();
  let kills = 0;
  for (const [index, moment] of MOMENTS.entries()) {
    const life = standby;
    standby = newLife(); // loads its code while the other one works
    plan.fate = moment.at === 'in-flight' || moment.at === 'mid-stream' ? moment.at : 'answered';
    const before = server.requests.length;
    const aheadMs = index * LATER_MS;
    life.begin({ ...base, aheadMs, streams: index % 2 === 0 || moment.at === 'mid-stream', ...jobOf(moment) });
    await killAt(moment, life, server.reached(before + 1));
    expect(await life.exited, `life ${index + 1}, to die at ${JSON.stringify(moment)}`).toBe('SIGKILL');
    kills++;
    await desk.ledger.effects(); // it has read whatever the dead process had sent
  }
  plan.fate = 'answered';
  standby.begin({ ...base, aheadMs: MOMENTS.length * LATER_MS, streams: true });
  await standby.exited;
  const outcome = standby.outcome();
  if (outcome === undefined) throw new Error('The last life said nothing.');
  return { outcome, kills };
}

function jobOf(moment: Moment): Pick<LoopJob, 'dieAt' | 'holdAt'> {
  if (moment.at === 'commit') return { dieAt: moment };
  return moment.at === 'hold' ? { holdAt: moment.where } : {};
}

async function killAt(moment: Moment, life: LoopLife, requested: Promise<unknown>): Promise<void> {
  switch (moment.at) {
    case 'commit':
      return; // it sees to that itself
    case 'hold':
      await Promise.race([life.told(moment.where), life.exited]);
      return life.kill();
    case 'in-flight':
      await Promise.race([requested, life.exited]);
      return life.kill();
    case 'mid-stream':
      await Promise.race([life.told('piece'), life.exited]);
      return life.kill();
  }
}

async function expectOnce(run: string): Promise<void> {
  const lines = (await desk.ledger.effects()).filter(({ key }) => key.startsWith(`${run}:`));
  expect(lines.map(({ what }) => what)).toEqual(['two books', 'two seats']);
  expect(await desk.events(run, 'doubt'), 'nothing was left to a person').toEqual([]);
}

/** A kill costs at most the one request that was out. */
function expectRequests(requests: readonly ServedRequest[], kills: number): void {
  const byTurn = TURNS.map((_, turn) => requests.filter((request) => turnOf(request) === turn).length);
  expect(byTurn).toEqual(TURNS.map(() => 1 + LOST_REQUESTS));
  expect(requests.length - TURNS.length).toBeLessThanOrEqual(kills);
}
