import { setTimeout as pause } from 'node:timers/promises';
import { createRuntime } from 'flyball';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { seededRandom } from 'flyball/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Desk, newDesk } from '../processes/desk.js';
import { killAll } from '../processes/remote.js';
import { repetitions } from '../repetitions.js';
import { Fleet } from './storm-fleet.js';
import { People } from './storm-people.js';
import { faultsOf } from './storm-verdict.js';

/** `npm run test:full -- --times 9 test/kills/storm.full.test.ts` kills 540 processes and stops 108. */
const QUOTA = { kills: repetitions({ sample: 60, full: 60 }), stops: repetitions({ sample: 12, full: 12 }) };
const SEED = Number(process.env['FLYBALL_SEED'] ?? 20_261_116);
const RUNS_AT_ONCE = 6;
const KILLS_TO_BLACKOUT = 25;
const LOOKS_TO_WAIT = 20;
const PATIENCE = 4;

let desk: Desk;
beforeEach(async () => {
  desk = await newDesk();
});
afterEach(async () => {
  killAll();
  await desk.close();
});

it('kills, stops and wrong clocks, while people decide, fork, pause, redirect and cancel, double and lose nothing [R7-KILLS] [R7-STOPS] [R7-CLOCKS]', async () => {
  const startedAt = Date.now();
  const random = seededRandom(SEED);
  const problems: string[] = [];
  const fleet = new Fleet(desk, random, QUOTA, (error) => problems.push(String(error)));
  const engine = await sqliteEngine({ path: desk.path, pollMs: 10 });
  const rival = createRuntime({ engine, agents: {}, options: { worker: false } });
  const people = new People(desk, rival, fleet, random);
  fleet.keep();
  let blackouts = 0;
  let looks = 0;
  // what a small storm has not seen yet by chance, it waits for
  const isOver = () => fleet.isSpent && (people.hasDoneAll || fleet.tally.kills >= PATIENCE * QUOTA.kills);
  while (!isOver() || people.openRuns > 0) {
    if (!isOver()) while (people.openRuns < RUNS_AT_ONCE) people.begin();
    else if (await fleet.calmed()) process.stdout.write(`calm after ${seconds(startedAt)} s\n`);
    await people.look();
    if (!isOver() && fleet.tally.kills > (blackouts + 1) * KILLS_TO_BLACKOUT) {
      blackouts++;
      await fleet.dark(() => people.cancelSome());
    }
    if (++looks % LOOKS_TO_WAIT === 0) fleet.passTime(); // they may all wait for the deadline of somebody whose clock was fast
    await pause(25);
  }
  await people.settled();
  await fleet.close();
  const faults = [...problems, ...(await faultsOf(desk, people))];
  for (const { id } of people.runs.filter((run) => faults.some((fault) => fault.includes(`${run.id} `))))
    for (const { generation, seq, event } of await desk.runtime.entries(id))
      process.stdout.write(`${id} ${generation}/${seq} ${JSON.stringify(event).slice(0, 300)}\n`);
  await rival.close();
  await engine.close();

  const { said } = people;
  const effects = (await desk.ledger.effects()).length;
  const tally = {
    seed: SEED,
    seconds: seconds(startedAt),
    runs: people.runs.length,
    ...fleet.tally,
    blackouts,
    ...said,
    effects,
    doubled: faults.filter((fault) => fault.includes('doubled')).length,
    lost: faults.filter((fault) => fault.includes('lost')).length,
  };
  process.stdout.write(`${JSON.stringify(tally)}\n`);
  expect(faults).toEqual([]);
  expect(fleet.tally.kills).toBeGreaterThanOrEqual(QUOTA.kills);
  expect(fleet.tally.takeovers).toBeGreaterThanOrEqual(QUOTA.stops / 2);
  for (const [what, times] of Object.entries(said)) expect(times, what).toBeGreaterThan(0);
});

function seconds(since: number): number {
  return Math.round((Date.now() - since) / 1_000);
}
