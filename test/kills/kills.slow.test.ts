import { setTimeout as pause } from 'node:timers/promises';
import { seededRandom } from 'flyball/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Desk, newDesk, whileAnswering } from '../processes/desk.js';
import { killAll, type Remote, remote } from '../processes/remote.js';
import { LATER_MS } from '../programs/process-agents.js';
import { repetitions } from '../repetitions.js';

const KILLS = repetitions({ sample: 8, full: 50 });
const ROUNDS = 2;
const SEED = 20_260_731;

let desk: Desk;
beforeEach(async () => {
  desk = await newDesk();
});
afterEach(async () => {
  killAll();
  await desk.close();
});

const job = () => ({ ledger: desk.ledger.url, rounds: ROUNDS });

/** What the ledger holds for one run: every line, in no particular order. */
async function linesOf(runId: string): Promise<readonly unknown[]> {
  const lines = (await desk.ledger.effects()).filter(({ key }) => key.startsWith(`${runId}:`));
  return lines.map(({ what }) => what).sort();
}

/** Where the journal stood when the process died. */
async function lastEntry(runId: string): Promise<string> {
  return (await desk.runtime.entries(runId)).at(-1)?.event.type ?? 'nothing';
}

/** Resolves a moment after the journal has grown by so many entries: kills come by how far a run is, not by the clock. */
async function grown(runId: string, by: number, aMomentMs: number): Promise<void> {
  const length = async () => ((await desk.engine.get(runId)) ? (await desk.runtime.entries(runId)).length : 0);
  const goal = (await length()) + by;
  while ((await length()) < goal) await pause(2);
  await pause(aMomentMs);
}

it('loses and doubles nothing when its process is killed again and again [R2-SHOW-KILLS] [V10.acceptance]', async () => {
  const random = seededRandom(SEED);
  const calm = remote();
  await calm.open({ path: desk.path });
  await calm.start('mixture', job(), { id: 'calm' });
  const expected = await whileAnswering(desk, 'calm', () => calm.finished('calm'));
  await calm.kill();
  expect(expected.stop).toBe('done');
  const expectedLines = await linesOf('calm');
  expect(expectedLines).toHaveLength(ROUNDS * 6);

  const landed: Record<string, number> = {};
  let kills = 0;
  let unfinished = 0;
  let standby: Remote = remote();
  for (let nth = 1; kills < KILLS; nth++) {
    const runId = `killed-${nth}`;
    let known = false;
    const outcome = await whileAnswering(desk, runId, async () => {
      for (;;) {
        const worker = standby;
        standby = remote(); // loads its code while the other one works
        await worker.told('ready');
        await worker.open({ path: desk.path, aheadMs: kills * LATER_MS });
        const finished = known
          ? worker.finished(runId)
          : worker.start('mixture', job(), { id: runId }).then(() => worker.finished(runId));
        const ended = await Promise.race([finished, grown(runId, Math.floor(random() * 12), random() * 10)]);
        if (ended !== undefined) {
          await worker.kill();
          return ended;
        }
        await worker.kill();
        kills++;
        await desk.ledger.effects(); // it has read whatever the dead process had sent: from here on `verify` sees all of it
        known ||= (await desk.engine.get(runId)) !== undefined;
        if (!known) continue;
        const at = await lastEntry(runId);
        landed[at] = (landed[at] ?? 0) + 1;
        if (at !== 'run-end') unfinished++;
      }
    });
    expect(outcome.stop).toBe('done');
    expect('value' in outcome ? outcome.value : undefined).toEqual('value' in expected ? expected.value : null);
    expect(await linesOf(runId), `the ledger of ${runId}`).toEqual(expectedLines);
    expect(await desk.events(runId, 'doubt'), 'nothing was left to a person').toEqual([]);
  }
  process.stdout.write(`${kills} kills, ${unfinished} inside a run; last entries: ${JSON.stringify(landed)}\n`);
  expect(kills).toBeGreaterThanOrEqual(KILLS);
  expect(unfinished / kills, 'most kills are inside a run, however busy the machine is').toBeGreaterThanOrEqual(0.5);
  expect(landed['intent'] ?? 0, 'kills between INTENT and its end').toBeGreaterThan(KILLS / 20);
});
