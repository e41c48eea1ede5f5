import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { patient } from '../patience.js';
import { LATER_MS } from '../programs/process-agents.js';
import { type Desk, newDesk, openWaits, whileAnswering } from './desk.js';
import { killAll, type Remote, type RemoteOpening, remote } from './remote.js';

/** It does not come back for the run it lost: what happens after that is the other one's doing alone. */
const OWNER = { worker: false };
const RUN = 'transfer';

let desk: Desk;
beforeEach(async () => {
  desk = await newDesk();
});
afterEach(async () => {
  killAll();
  await desk.close();
});

async function opened(opening: Omit<RemoteOpening, 'path'> = {}): Promise<Remote> {
  const process = remote();
  await process.open({ path: desk.path, ...opening });
  return process;
}

/** By its clock the lease of the owner has run out, and the deadline of its INTENT has passed. */
const successor = () => opened({ aheadMs: LATER_MS });

const gate = () => join(desk.folder, 'may act');
const mayAct = () => writeFileSync(gate(), '');

const transfers = async () => (await desk.ledger.effects()).length;

/** The owner of a run whose one effect is about to be made. */
async function ownerAboutToAct(opening: Omit<RemoteOpening, 'path'> = {}): Promise<Remote> {
  const owner = await opened({ options: OWNER, ...opening });
  await owner.start('transfer', { ledger: desk.ledger.url, gate: gate() }, { id: RUN });
  return owner;
}

async function openDoubt() {
  const open = async () => (await openWaits(desk, RUN)).find(({ kind }) => kind === 'doubt');
  await expect.poll(open).toBeDefined();
  const doubt = await open();
  expect(doubt).toMatchObject({ kind: 'doubt', request: { action: 'transfer' } });
  return doubt;
}

/** What a person says who has looked at the ledger. */
async function answerTruly(token: string): Promise<void> {
  const happened = (await transfers()) > 0;
  await desk.runtime.signal(RUN, token, happened ? { happened, result: 'told' } : { happened }, { from: 'test' });
}

it('a stopped owner that wakes up inside its effect acts once, and its successor has not acted [R2-SHOW-STOPPED-OWNER] [R2-DOUBT-GONE]', async () => {
  const first = await ownerAboutToAct();
  const firstEnd = first.outcome(RUN).then(
    () => 'went on',
    (error: { code: string }) => error.code,
  );
  await first.told('about to act');
  first.freeze();
  const second = await successor();
  const doubt = await openDoubt();
  expect(await desk.events(RUN, 'doubt')).toEqual([
    expect.objectContaining({ name: 'transfer', why: expect.stringContaining('may still be running') }),
  ]);
  expect(await transfers(), 'the second must not act').toBe(0);

  mayAct();
  first.thaw();
  await first.told('acted');
  expect(await firstEnd).toBe('JOURNAL_CONFLICT');
  expect(await transfers()).toBe(1);
  await answerTruly(doubt?.token ?? '');
  expect(await second.finished(RUN)).toMatchObject({ stop: 'done', value: 'told' });
  expect(await transfers()).toBe(1);
});

it('an owner stopped between INTENT and its effect notices the lost lease and does not act [R2-SHOW-STOPPED-OWNER] [R2-LEASE]', async () => {
  const leaseMs = patient(1_000);
  const first = await opened({ options: { ...OWNER, leaseMs }, stopAfterIntent: true });
  const started = first.start('transfer', { ledger: desk.ledger.url, gate: gate() }, { id: RUN });
  await first.told('stopping');
  const second = await successor();
  const doubt = await openDoubt();
  expect(await transfers()).toBe(0);
  await pause(leaseMs); // its own clock tells it that its lease has run out

  mayAct();
  first.thaw();
  await started;
  // who waits while the run is lost is told so; who asks then reads what the successor wrote
  await first.outcome(RUN).catch(({ code }: { code: string }) => expect(code).toBe('JOURNAL_CONFLICT'));
  await expect(first.outcome(RUN)).resolves.toMatchObject({ stop: 'suspended' });
  expect(await transfers(), 'zero, with a doubt open').toBe(0);
  await answerTruly(doubt?.token ?? '');
  expect(await second.finished(RUN)).toMatchObject({ stop: 'done', value: 'acted' });
  expect(await transfers()).toBe(1);
});

it('an owner killed before its effect is proven gone, and its successor acts once [R2-SHOW-STOPPED-OWNER] [R2-DOUBT-GONE]', async () => {
  const first = await ownerAboutToAct();
  await first.told('about to act');
  await first.kill();
  mayAct();
  const second = await successor();
  expect(await second.finished(RUN)).toMatchObject({ stop: 'done', value: 'acted' });
  expect(await transfers()).toBe(1);
  expect(await desk.events(RUN, 'complete')).toContainEqual(expect.objectContaining({ how: 'repeated' }));
  expect(await desk.events(RUN, 'doubt')).toEqual([]);
});

it('an owner killed after its effect is believed by what `verify` finds, and nobody acts again [R2-DOUBT-VERIFY]', async () => {
  mayAct();
  const first = await opened({ options: OWNER });
  await first.start('transfer', { ledger: desk.ledger.url, gate: gate(), holds: true }, { id: RUN });
  await first.told('acted');
  await first.kill();
  const second = await successor();
  expect(await second.finished(RUN)).toMatchObject({ stop: 'done', value: 'verified' });
  expect(await transfers()).toBe(1);
});

it('a stopped owner of an approved, irreversible effect is not overtaken either [R2-SHOW-STOPPED-OWNER]', async () => {
  const first = await opened();
  await first.start('transfer', { ledger: desk.ledger.url, gate: gate(), approved: true }, { id: RUN });
  await whileAnswering(desk, RUN, () => first.told('about to act'));
  first.freeze();
  await successor();
  const doubt = await openDoubt();
  expect(await transfers()).toBe(0);
  mayAct();
  first.thaw();
  await first.told('acted');
  await answerTruly(doubt?.token ?? '');
  expect(await desk.rests(RUN, 'done')).toBe('done');
  expect(await transfers()).toBe(1);
});
