import { setTimeout as pause } from 'node:timers/promises';
import { Cluster } from './cluster.js';

const RUNS = 12;
const STEPS = 30;

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
  tell: (text: string) => void,
  dispatcher?: () => Promise<string>,
): Promise<Rolled> {
  const cluster = new Cluster(database, dispatcher);
  try {
    const url = await cluster.balance();
    const [one, two, three] = await Promise.all(['w1', 'w2', 'w3'].map((name) => cluster.start(name, 'worker', '1')));
    const [first, second] = await Promise.all(['a1', 'a2'].map((name) => cluster.start(name, 'api', '1')));
    tell(
      `Three workers (${[one, two, three].map((each) => each?.pid).join(', ')}) and two servers. Balancer: ${url}/studio`,
    );
    const ids: string[] = [];
    const start = async (count: number) => {
      for (let n = 0; n < count; n++) ids.push(await startRun(url));
    };
    await start(RUNS);
    await until(() => cluster.steps().length > RUNS * 3);
    await one?.kill();
    tell(`Killed worker ${one?.pid} with ${cluster.steps().length} steps made.`);
    await until(() => cluster.steps().length > RUNS * 8);
    tell('Starting version 2, and stopping version 1 …');
    await Promise.all([
      cluster.start('w4', 'worker', '2'),
      cluster.start('w5', 'worker', '2'),
      cluster.start('a3', 'api', '2'),
    ]);
    const exits = [await two?.stop(), await first?.stop(), await second?.stop()];
    tell(`Worker ${two?.pid} and both old servers exited with ${exits.join(', ')}.`);
    await start(4);
    const workers = await cluster.flyball('workers');
    tell(workers);
    await until(() => cluster.steps().length > RUNS * 15);
    exits.push(await three?.stop());
    tell('The last worker of version 1 has gone; version 2 continues what is left.');
    await until(async () =>
      (await Promise.all(ids.map((id) => statusOf(url, id)))).every((status) => status === 'done'),
    );
    return { ...counted(cluster, ids), exits: exits.map((code) => code ?? null), workers };
  } finally {
    await cluster.close();
  }
}

function counted(cluster: Cluster, ids: readonly string[]): Omit<Rolled, 'exits' | 'workers'> {
  const steps = cluster.steps();
  const made = new Map<string, Set<string>>();
  for (const [run = '', n = '', key = ''] of steps)
    made.set(`${run} ${n}`, (made.get(`${run} ${n}`) ?? new Set()).add(key));
  return {
    done: ids.length,
    started: ids.length,
    again: steps.length - made.size,
    missing: ids.length * STEPS - made.size,
    keys: Math.max(...[...made.values()].map((keys) => keys.size)),
    versions: [...new Set(steps.map(([, , , version = '']) => version))].sort(),
  };
}

async function startRun(url: string): Promise<string> {
  const answer = await fetch(`${url}/v1/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ agent: 'count', input: { to: STEPS } }),
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
