import { describe, expect, it } from 'vitest';
import { whyNoServer } from '../postgres/server.js';
import { KINDS } from './kinds.js';

const why =
  whyNoServer() ??
  (process.env['FLYBALL_POSTGRES_URL'] === undefined ? undefined : 'these tests kill their server, and need their own');
if (why !== undefined) process.stdout.write(`Skipped real faults on PostgreSQL: ${why}.\n`);
const FEW = 4;

describe.skipIf(why !== undefined)('real faults against a ledger outside', () => {
  for (const kind of KINDS) {
    const absent = why === undefined ? kind.why?.() : undefined;
    if (absent !== undefined) process.stdout.write(`Skipped "${kind.name}": ${absent}.\n`);
    it.skipIf(absent !== undefined)(`lose and double nothing: ${kind.about} [R10-PG-REAL-FAULTS]`, async () => {
      const { lost, doubled, stuck, runs } = await kind.run(FEW);
      expect({ lost, doubled, stuck }).toEqual({ lost: [], doubled: [], stuck: [] });
      expect(runs).toBeGreaterThan(0);
    });
  }
});
