import { afterAll, it } from 'vitest';
import { contractOn, ownClockContractOn } from './contract.js';
import { sharedServer, whyNoServer } from './server.js';

const why = whyNoServer();
if (why !== undefined) {
  process.stdout.write(`Skipped the contract on PostgreSQL: ${why}.\n`);
  it.skip('engine contract: postgres', () => undefined);
} else {
  const server = await sharedServer();
  afterAll(() => server.remove());
  contractOn(server.url, 'postgres [R10-PG-CONTRACT] [R10-PG-QUARANTINE]');
  ownClockContractOn(server.url, 'postgres, with the clock of the database [R19-CONTRACT-LEASE-CLOCK]');
}
