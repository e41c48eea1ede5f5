import { done } from 'flyball';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { whyNoServer } from '../postgres/server.js';
import { whyNoRestate } from './server.js';
import { Stage } from './stage.js';

const why = whyNoServer() ?? whyNoRestate();
if (why !== undefined) process.stdout.write(`Skipped the settings that Restate has of workers: ${why}.\n`);

/** As Restate says it: the durations are its own wording of what it was told. */
const RETRIES = {
  initial_interval: '20ms',
  exponentiation_factor: 2,
  max_interval: '1s',
  max_attempts: Number.MAX_SAFE_INTEGER,
  on_max_attempts: 'Pause',
};
const RUNS = {
  inactivity_timeout: '1d',
  abort_timeout: '1d',
  journal_retention: '10m',
  idempotency_retention: '10m',
  retry_policy: RETRIES,
};

describe.skipIf(why !== undefined)('a worker', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.open();
    await stage.fresh();
  });
  afterAll(() => stage.remove());

  it('tells Restate never to give up on a run, to try it again soon, and not to take a long one for stalled [R10-RESTATE-SETTINGS]', async () => {
    await stage.worker({ quick: async () => done(null) });
    const answer = await fetch(`${stage.restate.admins[0]}/services`);
    const { services } = (await answer.json()) as { readonly services: readonly { readonly name: string }[] };
    const named = Object.fromEntries(services.map(({ name, ...its }) => [name.replace(`${stage.name}-`, ''), its]));
    // those that only wait for others give their connection back
    const brief = { ...RUNS, inactivity_timeout: '200ms' };
    expect(named).toMatchObject({ runs: RUNS, turns: brief, limits: { ...brief, public: false } });
    expect(Object.keys(named)).toHaveLength(3);
  });
});
