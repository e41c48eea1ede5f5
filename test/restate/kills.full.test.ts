import { setTimeout as pause } from 'node:timers/promises';
import { type Agents, budget, createRuntime, done, type Runtime } from 'flyball';
import { type LedgerServer, ledgerServer, seededRandom } from 'flyball/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { balancer } from '../../bench/measure/balancer.js';
import { restateDispatcher } from '../../packages/restate/src/index.js';
import { freshSchema, open, sharedServer, whyNoServer } from '../postgres/server.js';
import { repetitions } from '../repetitions.js';
import { TestRestate, whyNoRestate } from './server.js';
import { WorkProcesses } from './work-processes.js';

const why = whyNoServer() ?? whyNoRestate();
if (why !== undefined) process.stdout.write(`Skipped kills of Restate and its workers: ${why}.\n`);

/** `npm run test:full -- --times 25 test/restate/kills.full.test.ts` kills 200 nodes and 200 workers. */
const KILLS = repetitions({ sample: 4, full: 4 });
const ROUNDS = 2;
const AT_ONCE = 4;
const LINES = ['store', 'book', 'rest', 'pay'];
const agents: Agents = { work: async () => done(null), walk: async () => done(null) };

interface Tally {
  kills: number;
  takeovers: number;
  doubts: number;
  runs: number;
}

describe.skipIf(why !== undefined)('kills under runs that Restate dispatches', () => {
  const closing: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  async function opened(nodes: number) {
    const postgres = await sharedServer();
    closing.push(() => postgres.remove());
    const restate = await TestRestate.start(nodes);
    closing.push(() => restate.remove());
    const ledger = await ledgerServer();
    closing.push(() => ledger.close());
    const door = await balancer();
    closing.push(() => door.close());
    const schema = freshSchema();
    const at = { url: restate.urls, admin: restate.admins };
    const engine = await open(postgres.url, { schema, leaseClock: 'database' });
    closing.push(() => engine.close());
    const given = { url: postgres.url, schema, ledger: ledger.url, restate: { ...at, sweepMs: 2_000 } };
    const workers = new WorkProcesses(given, door);
    closing.push(() => workers.close());
    await workers.raise();
    await workers.raise();
    const onProblem = () => undefined; // Restate is away now and then
    const dispatcher = restateDispatcher({ ...at, onProblem });
    closing.push(() => dispatcher.close());
    const options = { worker: 'elsewhere', pollMs: 50 } as const;
    const desk = createRuntime({ engine, agents, dispatcher, options, onProblem });
    closing.push(() => desk.close());
    return { restate, workers, ledger, desk };
  }

  /** Runs follow each other while `strike` is called again and again. Each line is in the ledger once in the end. */
  async function survived(
    { desk, ledger }: { readonly desk: Runtime; readonly ledger: LedgerServer },
    strike: (runIds: readonly string[]) => Promise<void>,
  ): Promise<Tally> {
    const tally: Tally = { kills: 0, takeovers: 0, doubts: 0, runs: 0 };
    const one = async (): Promise<void> => {
      while (tally.kills < KILLS || tally.runs === 0) {
        const id = `run-${++tally.runs}`;
        const handle = await desk.start('work', { rounds: ROUNDS }, { id, budget: budget({ toolCalls: 1e6 }) });
        going.add(id);
        let isOver = false;
        const ended = handle.finished().finally(() => (isOver = true));
        while (!isOver) {
          await answer(desk, ledger, id);
          await pause(25);
        }
        going.delete(id);
        expect(await ended, id).toMatchObject({ stop: 'done', value: ROUNDS });
        const entries = await desk.entries(id);
        tally.takeovers += entries.filter(
          ({ event }) => event.type === 'attempt-start' && event.why === 'takeover',
        ).length;
        tally.doubts += entries.filter(({ event }) => event.type === 'doubt').length;
        const lines = (await ledger.effects())
          .map(({ what }) => String(what))
          .filter((what) => what.startsWith(`${id} `));
        const expected = Array.from({ length: ROUNDS }, (_, n) => LINES.map((line) => `${id} ${line} ${n + 1}`)).flat();
        expect(lines.sort(), id).toEqual(expected.sort());
      }
    };
    const going = new Set<string>();
    const striking = (async () => {
      while (tally.kills < KILLS) {
        await strike([...going]);
        tally.kills += 1;
      }
    })();
    await Promise.all([striking, ...Array.from({ length: AT_ONCE }, one)]);
    process.stdout.write(`${JSON.stringify(tally)}\n`);
    return tally;
  }

  it('of workers lose and double nothing [R10-RESTATE-KILLS]', async () => {
    const place = await opened(1);
    const random = seededRandom(7);
    await survived(place, async (going) => {
      await pause(random() * 400);
      const [owner] = (await Promise.all(going.map((id) => place.desk.get(id)))).flatMap(({ owner: by }) => by ?? []);
      const pid = place.workers.pids.find((each) => each === owner?.pid) ?? place.workers.pids[0] ?? 0;
      await place.workers.raise();
      await place.workers.kill(pid);
    });
  });

  it('of the only node of Restate lose and double nothing [R10-RESTATE-KILLS]', async () => {
    const place = await opened(1);
    const random = seededRandom(8);
    await survived(place, async () => {
      await pause(200 + random() * 400);
      await place.restate.kill();
      await place.restate.revive();
    });
  });

  it('of one of three nodes of Restate, and of workers, lose and double nothing [R10-RESTATE-KILLS]', async () => {
    const place = await opened(3);
    const random = seededRandom(9);
    let strikes = 0;
    await survived(place, async () => {
      const node = strikes++ % 3;
      await pause(200 + random() * 400);
      await place.restate.kill(node);
      await pause(300);
      const [pid = 0] = place.workers.pids;
      await place.workers.raise();
      await place.workers.kill(pid);
      await place.restate.revive(node);
    });
  });
});

/** Somebody who looks into the ledger before saying what happened. */
async function answer(desk: Runtime, ledger: LedgerServer, id: string): Promise<void> {
  const entries = await desk.entries(id);
  const ended = new Set(entries.flatMap(({ event }) => (event.type === 'wait-end' ? [event.id] : [])));
  for (const { event } of entries) {
    if (event.type !== 'wait-start' || ended.has(event.id)) continue;
    let payload: unknown = 'yes';
    if (event.kind === 'doubt') {
      const { key } = event.request as { readonly key: string };
      const line = await ledger.effect(key);
      payload = line === undefined ? { happened: false } : { happened: true, result: String(line.what) };
    }
    await desk.signal(id, event.token, payload, { id: event.token, from: 'ann' }).catch((error: { code?: string }) => {
      if (error.code !== 'ALREADY_TERMINAL' && error.code !== 'SIGNAL_UNEXPECTED') throw error;
    });
  }
}
