import { describe, expect, it } from 'vitest';
import { whyNoServer } from '../postgres/server.js';
import { KINDS } from './kinds.js';
import { wrongs } from './told.js';

const why =
  whyNoServer() ??
  (process.env['FLYBALL_POSTGRES_URL'] === undefined ? undefined : 'these tests kill their server, and need their own');
if (why !== undefined) process.stdout.write(`Skipped real faults on PostgreSQL: ${why}.\n`);
const FEW = 4;
/** The others take minutes each: `npm run faults -- <kind>`. */
const SAMPLED = ['worker-killed', 'host-killed'];

describe.skipIf(why !== undefined)('real faults against a ledger outside', () => {
  for (const kind of KINDS.filter(({ name }) => SAMPLED.includes(name))) {
    const absent = why === undefined ? kind.why?.() : undefined;
    if (absent !== undefined) process.stdout.write(`Skipped "${kind.name}": ${absent}.\n`);
    it.skipIf(absent !== undefined)(
      `lose and double nothing, and ask nobody needlessly: ${kind.about} [R10-PG-REAL-FAULTS]`,
      async () => {
        const told = await kind.run(FEW);
        expect(wrongs(kind, told)).toEqual([]);
        expect(told.faults).toBeGreaterThanOrEqual(FEW);
        expect(told.acts).toBeGreaterThanOrEqual(told.runs * 9);
      },
    );
  }
});
