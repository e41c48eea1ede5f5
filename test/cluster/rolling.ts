import { setTimeout as pause } from 'node:timers/promises';
import { Cluster, type Member } from './cluster.js';

const RUNS = 12;
const STEPS = 30;

/** Where the cluster is, and which processes work, when something is told. */
export interface Scene {
  readonly phase: 'up' | 'killed' | 'mixed' | 'replaced' | 'done';
  readonly url: string;
  readonly working: readonly number[];
}

export type Tell = (text: string, scene?: Scene) => void | Promise<void>;

export interface Rolled {
  readonly done: number;
  readonly started: number;
  /** Steps that were made more than once: those that were under way in the worker that was killed. */
  readonly again: number;
  readonly missing: number;
  /** Keys that one step had. */
  readonly keys: number;
  readonly exits: readonly (number | null)[];
  readonly versions: readonly string[];
  readonly workers: string;
}

/** Three workers and two servers behind a balancer; one worker is killed, the others are replaced by a new version. */
export async function rollOut(
  database: string,
  tell: Tell,
  { dispatcher, steps = STEPS }: { readonly dispatcher?: () => Promise<string>; readonly steps?: number } = {},
): Promise<Rolled> {
  const cluster = new Cluster(database, dispatcher);
  try {
    const url = await cluster.balance();
    const [one, two, three] = await Promise.all(['w1', 'w2', 'w3'].map((name) => cluster.start(name, 'worker', '1')));
    const [first, second] = await Promise.all(['a1', 'a2'].map((name) => cluster.start(name, 'api', '1')));
    const scene = (phase: Scene['phase'], ...members: readonly (Member | undefined)[]): Scene => ({
      ...{ phase, url, working: members.flatMap((member) => member?.pid ?? []) },
    });
    await tell(
      `Three workers (${[one, two, three].map((each) => each?.pid).join(', ')}) and two servers. Studio: ${url}/studio/workers`,
      scene('up', one, two, three),
    );
    const ids: string[] = [];
    const start = async (count: number) => {
      for (let n = 0; n < count; n++) ids.push(await startRun(url, steps));
    };
    await start(RUNS);
    await until(() => cluster.steps().length > RUNS * 3);
    await one?.kill();
    await tell(`Killed worker ${one?.pid} with ${cluster.steps().length} steps made.`, scene('killed', two, three));
    await until(() => cluster.steps().length > RUNS * 8);
    await tell('Starting version 2, and stopping version 1 …');
    const [four, five] = await Promise.all([
      cluster.start('w4', 'worker', '2'),
      cluster.start('w5', 'worker', '2'),
      cluster.start('a3', 'api', '2'),
    ]);
    const exits = [await two?.stop(), await first?.stop(), await second?.stop()];
    await tell(
      `Worker ${two?.pid} and both old servers exited with ${exits.join(', ')}.`,
      scene('mixed', three, four, five),
    );
    await start(4);
    const workers = await cluster.flyball('workers');
    await tell(workers);
    await until(() => cluster.steps().length > RUNS * 15);
    exits.push(await three?.stop());
    await tell(
      'The last worker of version 1 has gone; version 2 continues what is left.',
      scene('replaced', four, five),
    );
    await until(async () =>
      (await Promise.all(ids.map((id) => statusOf(url, id)))).every((status) => status === 'done'),
    );
    await tell('All runs are done.', scene('done', four, five));
    return { ...counted(cluster, ids, steps), exits: exits.map((code) => code ?? null), workers };
  } finally {
    await cluster.close();
  }
}

function counted(cluster: Cluster, ids: readonly string[], each: number): Omit<Rolled, 'exits' | 'workers'> {
  const steps = cluster.steps();
  const made = new Map<string, Set<string>>();
  for (const [run = '', n = '', key = ''] of steps)
    made.set(`${run} ${n}`, (made.get(`${run} ${n}`) ?? new Set()).add(key));
  return {
    done: ids.length,
    started: ids.length,
    again: steps.length - made.size,
    missing: ids.length * each - made.size,
    keys: Math.max(...[...made.values()].map((keys) => keys.size)),
    versions: [...new Set(steps.map(([, , , version = '']) => version))].sort(),
  };
}

async function startRun(url: string, to: number): Promise<string> {
  const answer = await fetch(`${url}/v1/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ agent: 'count', input: { to } }),
  });
  if (answer.status !== 202) throw new Error(`${answer.status}: ${await answer.text()}`);
  return ((await answer.json()) as { readonly id: string }).id;
}

async function statusOf(url: string, id: string): Promise<string> {
  const answer = await fetch(`${url}/v1/runs/${id}`);
  return ((await answer.json()) as { readonly status: string }).status;
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await pause(50);
}
