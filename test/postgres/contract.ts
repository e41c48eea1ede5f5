import { engineContract, type OpenEngine, storeContract } from 'flyball/testing';
import { describe, it } from 'vitest';
import { asAdmin, freshSchema, open } from './server.js';

type EngineDamage = Parameters<NonNullable<OpenEngine['damage']>>[0];

/** The statement that does it. */
function damaging(s: string, damage: EngineDamage): string {
  if (damage.what === 'worker') {
    const { id, as = '{', until } = damage;
    const change = until === undefined ? `worker = '${as}'` : `until = ${until}`;
    return `UPDATE ${s}.workers SET ${change} WHERE id = '${id}'`;
  }
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
    case 'fork':
      return `UPDATE ${s}.runs SET fork = '{"run":"${damage.of}","generation":0,"seq":0}', fork_of = '${damage.of}' WHERE id = '${damage.run}'`;
    case 'message':
      return `UPDATE ${s}.inbox SET body = '9' WHERE ${ofRun} AND id = '${damage.id}'`;
  }
}

function openedOn(url: string, leaseClock: 'caller' | 'database') {
  return async () => {
    const schema = freshSchema();
    const engine = await open(url, { schema, leaseClock });
    return {
      engine,
      reopen: () => open(url, { schema, leaseClock }),
      damage: async (damage: EngineDamage) => void (await asAdmin(url, damaging(schema, damage))),
      close: () => engine.close(),
    };
  };
}

/** What everybody who writes an engine or a store has to keep, on the server at `url`. */
export function contractOn(url: string, title: string): void {
  engineContract({ describe, it }, title, openedOn(url, 'caller'), { damages: true });

  storeContract({ describe, it }, title, async () => {
    const engine = await open(url, { schema: freshSchema() });
    return { store: engine.store, close: () => engine.close() };
  });
}

/** The same of an engine as users open it: its leases go by the clock of the database. */
export function ownClockContractOn(url: string, title: string): void {
  const traits = { damages: true, leaseClock: 'own' } as const;
  engineContract({ describe, it }, title, openedOn(url, 'database'), traits);
}
