import { engineContract, type OpenEngine, storeContract } from 'flyball/testing';
import { afterAll, describe, it } from 'vitest';
import { asAdmin, freshSchema, open, sharedServer, whyNoServer } from './server.js';

type EngineDamage = Parameters<NonNullable<OpenEngine['damage']>>[0];

/** The statement that does it. */
function damaging(s: string, damage: EngineDamage): string {
  if (damage.what === 'worker') return `UPDATE ${s}.workers SET worker = '{' WHERE id = '${damage.id}'`;
  const ofRun = `run = '${damage.run}'`;
  switch (damage.what) {
    case 'entry':
      return `UPDATE ${s}.events SET body = '{}' WHERE ${ofRun} AND gen = ${damage.generation} AND seq = ${damage.seq}`;
    case 'missing-entry':
      return `DELETE FROM ${s}.events WHERE ${ofRun} AND gen = ${damage.generation} AND seq = ${damage.seq}`;
    case 'record':
      return `UPDATE ${s}.runs SET subject = 'other' WHERE id = '${damage.run}'`;
    case 'owner':
      return `UPDATE ${s}.runs SET owner = '{' WHERE id = '${damage.run}'`;
    case 'message':
      return `UPDATE ${s}.inbox SET body = '9' WHERE ${ofRun} AND id = '${damage.id}'`;
  }
}

const why = whyNoServer();
if (why !== undefined) {
  process.stdout.write(`Skipped the contract on PostgreSQL: ${why}.\n`);
  it.skip('engine contract: postgres', () => undefined);
} else {
  const server = await sharedServer();
  afterAll(() => server.remove());

  const opened = async () => {
    const schema = freshSchema();
    const engine = await open(server.url, { schema });
    return {
      engine,
      reopen: () => open(server.url, { schema }),
      damage: async (damage: EngineDamage) => void (await asAdmin(server.url, damaging(schema, damage))),
      close: () => engine.close(),
    };
  };
  engineContract({ describe, it }, 'postgres [R10-PG-CONTRACT] [R10-PG-QUARANTINE]', opened, { damages: true });

  storeContract({ describe, it }, 'postgres [R10-PG-CONTRACT]', async () => {
    const engine = await open(server.url, { schema: freshSchema() });
    return { store: engine.store, close: () => engine.close() };
  });
}
