import type { Engine } from 'flyball';

/** Two records as an idempotent step leaves them, in bytes too. */
export const BODY = JSON.stringify({ type: 'complete', id: '/plan/2#3', fp: 'x'.repeat(22), result: 'y'.repeat(150) });
const LEASE_MS = 3_600_000;

export interface Appended {
  readonly records: number;
  readonly ms: number;
  /** Of each append, in milliseconds. */
  readonly latencies: readonly number[];
}

/** A file that others keep locked for too long refuses: the same call may be made again. */
export async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if ((error as { readonly retryable?: boolean }).retryable !== true) throw error;
    }
  }
}

/** As many runs at once, each of which waits for one append of two records before it makes the next. */
export async function appendLoad(engine: Engine, runs: number, appends: number, name = 'r'): Promise<Appended> {
  const owner = { id: name, host: 'bench', bootId: 'b', pid: 1, startTime: '1' };
  const claims = await Promise.all(
    Array.from({ length: runs }, async (_, n) => {
      const id = `${name}-${n}`;
      const who = { agent: 'agent', version: '1', tenant: 'bench', subject: 'bench' };
      const first = { entries: [{ generation: 0, seq: 0, at: Date.now(), activeMs: 0, body: BODY }] };
      await patiently(() => engine.create({ id, ...who, createdAt: Date.now(), first }));
      return patiently(() => engine.claim(id, { owner, now: Date.now(), leaseMs: LEASE_MS, isGone: () => false }));
    }),
  );
  const latencies: number[] = [];
  const began = performance.now();
  await Promise.all(
    claims.map(async (claim) => {
      for (let n = 0; n < appends; n += 1) {
        const asked = performance.now();
        const entries = [1, 2].map((k) => ({ generation: 0, seq: 2 * n + k, at: asked, activeMs: 0, body: BODY }));
        await patiently(() => engine.append(claim, { entries }));
        latencies.push(performance.now() - asked);
      }
    }),
  );
  return { records: runs * appends * 2, ms: performance.now() - began, latencies };
}

/** The same rows by the driver alone: what waits is written in one commit, and everybody waits for his own. */
export async function bareLoad(
  commit: (rows: readonly (readonly [string, number, string])[]) => Promise<void> | void,
  runs: number,
  appends: number,
): Promise<Appended> {
  let waiting: { readonly rows: readonly (readonly [string, number, string])[]; readonly done: () => void }[] = [];
  let isBusy = false;
  const work = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      await commit(group.flatMap(({ rows }) => rows));
      for (const { done } of group) done();
      await new Promise((resolve) => setImmediate(resolve));
    }
    isBusy = false;
  };
  const write = (rows: readonly (readonly [string, number, string])[]): Promise<void> =>
    new Promise((done) => {
      waiting.push({ rows, done });
      if (isBusy) return;
      isBusy = true;
      void work();
    });
  const latencies: number[] = [];
  const began = performance.now();
  await Promise.all(
    Array.from({ length: runs }, async (_, run) => {
      for (let n = 0; n < appends; n += 1) {
        const asked = performance.now();
        await write([1, 2].map((k) => [`r-${run}`, 2 * n + k, BODY] as const));
        latencies.push(performance.now() - asked);
      }
    }),
  );
  return { records: runs * appends * 2, ms: performance.now() - began, latencies };
}
