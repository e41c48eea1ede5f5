import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Desk, newDesk } from './desk.js';
import { killAll, remote } from './remote.js';

const ROUNDS = 20;

let desk: Desk;
beforeEach(async () => {
  desk = await newDesk();
});
afterEach(async () => {
  killAll();
  await desk.close();
});

it('two processes that resume one run at the same moment: one appends, the other gets JOURNAL_CONFLICT [R2-SHOW-RACE]', async () => {
  const racers = [remote(), remote()];
  for (const racer of racers) await racer.open({ path: desk.path, options: { worker: false } });
  const runIds = Array.from({ length: ROUNDS }, (_none, round) => `round-${round + 1}`);
  const gate = (runId: string) => join(desk.folder, runId);
  const maker = remote();
  await maker.open({ path: desk.path, options: { worker: false } });
  await Promise.all(runIds.map((id) => maker.start('walk', { steps: 3, gate: gate(id) }, { id })));
  await maker.kill();

  const wins = [0, 0];
  for (const runId of runIds) {
    const before = (await desk.runtime.entries(runId)).length;

    const at = Date.now() + 30;
    const results = await Promise.allSettled(racers.map((racer) => racer.resumeAt(runId, at)));
    const won = results.findIndex(({ status }) => status === 'fulfilled');
    const lost = results[1 - won];
    expect(won, 'somebody wins').not.toBe(-1);
    expect(lost?.status === 'rejected' ? (lost.reason as { code: string }).code : 'also won').toBe('JOURNAL_CONFLICT');
    wins[won] = (wins[won] ?? 0) + 1;

    writeFileSync(gate(runId), ''); // only now can it end
    expect(await racers[won]?.finished(runId)).toMatchObject({ stop: 'done', value: 3 });
    const entries = await desk.runtime.entries(runId);
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_entry, index) => index));
    const owners = entries.slice(before).flatMap(({ event }) => (event.type === 'attempt-start' ? [event.owner] : []));
    expect(owners, 'everything since is by one owner').toHaveLength(1);
  }
  process.stdout.write(`Rounds won: ${wins.join(' and ')}\n`);
});
