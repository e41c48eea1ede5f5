import assert from 'node:assert/strict';
import { broken } from './contracts/contract-sentences.js';
import { damageContract } from './contracts/engine-damage.js';
import { dueContract } from './contracts/engine-due.js';
import { type EngineTest, type OpenEngine, START } from './contracts/engine-fixture.js';
import { inboxContract } from './contracts/engine-inbox.js';
import { journalContract } from './contracts/engine-journal.js';
import { leasesContract, ownClockContract } from './contracts/engine-leases.js';
import { linesContract } from './contracts/engine-lines.js';
import { listingContract } from './contracts/engine-listing.js';
import { ownershipContract } from './contracts/engine-ownership.js';
import { restoreContract } from './contracts/engine-restore.js';
import { retentionContract } from './contracts/engine-retention.js';
import { whyNoEngine } from './contracts/engine-sentences.js';
import { sharedContract } from './contracts/engine-shared.js';
import { takeContract } from './contracts/engine-take.js';
import { callersTime, ownTime } from './contracts/lease-time.js';
import { type ContractSuite, publicTitle } from './contracts/suite.js';

/**
 * What every engine promises, as tests: the comments of the port, sentence by sentence. An adapter's test file is one
 * line: `engineContract({ describe, it }, 'memory', async () => …)`. Every test opens an engine of its own. With
 * `damages`, rows are changed behind the engine's back too: for engines over storage that can rot or be written by others.
 * With `leaseClock: 'own'`, leases go by a clock of the engine's own, as those of one for several machines have to.
 */
export function engineContract(
  suite: ContractSuite,
  name: string,
  open: () => Promise<OpenEngine>,
  {
    damages = false,
    leaseClock = 'caller',
  }: { readonly damages?: boolean; readonly leaseClock?: 'caller' | 'own' } = {},
): void {
  // what is no engine is told once, by whichever test runs first: a hundred failures would only say the same
  let isTold = false;
  const isOwn = leaseClock === 'own';
  const test = (title: string, body: EngineTest): void => {
    const required = publicTitle(title);
    suite.it(required, async () => {
      const opened = await open();
      const why = whyNoEngine(opened);
      if (why !== undefined && isTold) return;
      isTold = why !== undefined;
      assert.ok(why === undefined, why);
      try {
        await body(opened.engine, opened, isOwn ? ownTime(START, opened.passLeaseTime) : callersTime(START));
      } catch (error) {
        throw broken('engine', required, error);
      } finally {
        await opened.close();
      }
    });
  };
  suite.describe(`engine contract: ${name}`, () => {
    suite.describe('ownership', () => ownershipContract(test));
    suite.describe('leases', () => leasesContract(test));
    suite.describe('journal', () => journalContract(test));
    suite.describe('inbox', () => inboxContract(test));
    suite.describe('due', () => dueContract(test));
    suite.describe('take', () => takeContract(test));
    suite.describe('listing', () => listingContract(test));
    suite.describe('retention', () => retentionContract(test));
    suite.describe('restore', () => restoreContract(test));
    suite.describe('two processes', () => sharedContract(test));
    suite.describe('broken connections', () => linesContract(test));
    if (damages) suite.describe('damage', () => damageContract(test));
    if (isOwn) suite.describe('own clock', () => ownClockContract(test));
  });
}
