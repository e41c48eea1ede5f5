import { setTimeout as pause } from 'node:timers/promises';
import { patient } from '../patience.js';
import { freshSchema, startServer, type TestServer } from '../postgres/server.js';
import { Stage, type StageOrders, type Told, type Worker } from './stage.js';

/** Makes this many faults of one kind under load, and answers what the ledger says afterwards. */
export interface Kind {
  /** As on the command line. */
  readonly name: string;
  readonly about: string;
  /** Nobody is to be asked anything: whoever stops had the time to say how everything ended. */
  readonly isGraceful?: boolean;
  /** Why it cannot be tried here. */
  readonly why?: () => string | undefined;
  run(faults: number): Promise<Told>;
}

export const WORKERS = 3;
const PATIENCE_MS = 240_000;

export const some = (from: number, to: number): number => from + Math.random() * (to - from);

/** Runs that keep coming while `work` is done; then everything has to end. */
export async function played(stage: Stage, work: (stage: Stage) => Promise<void>): Promise<Told> {
  try {
    await work(stage);
    return await stage.finish(patient(PATIENCE_MS));
  } catch (error) {
    await stage.close();
    throw error;
  }
}

/** With a server of its own, and what goes with it. */
export async function staged(
  work: (stage: Stage, server: TestServer) => Promise<void>,
  given: Partial<StageOrders> = {},
): Promise<Told> {
  const server = await startServer({ max_connections: '200', listen_addresses: '*' });
  try {
    const stage = await Stage.open({ urls: [server.url], schema: freshSchema(), ...given });
    return await played(stage, () => work(stage, server));
  } finally {
    server.remove();
  }
}

export async function fleet(size: number, make: (n: number) => Promise<Worker>): Promise<Worker[]> {
  return Promise.all(Array.from({ length: size }, (_, n) => make(n)));
}

/** Ends a worker in the middle of what it is doing. */
export async function killed(stage: Stage, worker: Worker | undefined): Promise<void> {
  worker?.child.kill('SIGKILL');
  await worker?.ended;
  if (worker?.child.signalCode === 'SIGKILL') stage.faults += 1;
}

/** Kills workers at random, and starts others in their places. */
export async function killing(stage: Stage, faults: number, make: (n: number) => Promise<Worker>): Promise<void> {
  let struck = 0;
  const place = async (n: number): Promise<void> => {
    let worker = await make(n);
    while (struck < faults) {
      struck += 1;
      await stage.acts(worker);
      await pause(some(0, 60));
      await killed(stage, worker);
      worker = await make(n);
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, (_, n) => place(n)));
}
