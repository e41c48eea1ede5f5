import type { Engine } from 'flyball';
import { patiently } from './append-load.js';

const BITE = 25;

export interface Filled {
  readonly large: number;
  readonly small: number;
}

/** Runs in line: many of a large tenant, then a few of a small one. */
export async function fillLine(engine: Engine, { large, small }: Filled): Promise<void> {
  const run = (id: string, tenant: string) => {
    const entry = { generation: 0, seq: 0, at: Date.now(), activeMs: 0, body: '{"type":"note"}' };
    const who = { agent: 'agent', version: '1', tenant, subject: 'bench' };
    return engine.create({ id, ...who, createdAt: Date.now(), first: { entries: [entry] } });
  };
  for (let n = 0; n < large; n += 500)
    await Promise.all(Array.from({ length: Math.min(500, large - n) }, (_, m) => run(`large-${n + m}`, 'large')));
  for (let n = 0; n < small; n += 1) await run(`small-${n}`, 'small');
}

export interface Drained {
  readonly taken: number;
  /** How many this worker had taken when it took its last run of the small tenant. */
  readonly smallAt: number;
}

/** One worker: takes and gives back as done until there is nothing left. */
export async function drainLine(engine: Engine, name: string): Promise<Drained> {
  const owner = { id: name, host: 'bench', bootId: 'b', pid: 1, startTime: name };
  let [taken, smallAt, empty] = [0, 0, 0];
  for (let after: string | undefined; empty < 3; ) {
    const query = { now: Date.now(), limit: BITE, agents: ['agent'], isGone: () => false };
    const claims = await patiently(() =>
      engine.take({ ...query, ...(after === undefined ? {} : { after }) }, { owner, leaseMs: 600_000 }),
    );
    empty = claims.length === 0 ? empty + 1 : 0;
    for (const { record } of claims) {
      taken += 1;
      if (record.tenant === 'small') smallAt = taken;
    }
    after = claims.at(-1)?.record.tenant;
    await Promise.all(
      claims.map((claim) => patiently(() => engine.release(claim, { status: 'done', now: Date.now() }))),
    );
  }
  return { taken, smallAt };
}
