import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  availableDrivers,
  temporaryFile,
} from '../../packages/flyball/src/adapters/engine-sqlite/available-drivers.test-data.js';
import { seededRandom } from '../../packages/flyball/src/testing/index.js';
import { repetitions } from '../repetitions.js';
import { type Acts, type Examined, examine, fill, isSaid, RUNS, replace } from './damaged-world.js';

const FLIPS = Number(process.env['FLIPS'] ?? repetitions({ sample: 12, full: 1_000 }));
const SEED = Number(process.env['FLIPS_SEED'] ?? 20_261_115);

type Kind = 'harmless' | 'one run set aside' | 'file refused' | 'pages refused';

describe.each(await availableDrivers())('one flipped bit in a database, on %s', (driver) => {
  const file = temporaryFile(driver);
  let pristine: Buffer;
  let expected: Examined;
  /** Where something is stored; the rest of each page is unused, and a flip there says nothing. */
  let used: readonly number[];

  beforeAll(async () => {
    const acts: Acts = [];
    await fill(file, acts);
    pristine = readFileSync(file.path);
    used = [...pristine.keys()].filter((at) => pristine[at] !== 0 || pristine[at - 1] !== 0 || pristine[at + 1] !== 0);
    expected = await examine(file);
    for (const id of RUNS) expect(expected.runs[id]).toHaveProperty('shows');
  });
  afterAll(() => file.remove());

  /** What became of it; throws when anything was used as if it were sound. */
  async function flip(at: number, bit: number): Promise<Kind> {
    const bytes = Buffer.from(pristine);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
    replace(file, bytes);
    let examined: Examined;
    try {
      examined = await examine(file);
    } catch (error) {
      expect(isSaid(error) ? error.code : error).toMatch(/^(JOURNAL_|STORAGE_|CONFIG_INVALID)/);
      return 'file refused';
    }
    // none undoes a payment, none pays twice
    expect(expected.acts).toEqual(expect.arrayContaining(examined.acts));
    expect(new Set(examined.acts).size).toBe(examined.acts.length);
    const errors: unknown[] = [];
    for (const id of RUNS) {
      const run = examined.runs[id];
      if (run !== undefined && 'shows' in run) expect(run).toEqual(expected.runs[id]);
      else errors.push(run?.error);
    }
    if ('error' in examined.list) errors.push(examined.list.error);
    for (const error of errors) if (!isSaid(error)) throw error;
    if (errors.length === 0) return 'harmless';
    return errors.length === 1 ? 'one run set aside' : 'pages refused';
  }

  it(
    `is never used unnoticed, undoes no payment, and leaves the other runs alone: ${FLIPS} flips [F-C8]`,
    async () => {
      const random = seededRandom(SEED);
      const tally: Partial<Record<Kind, number>> = {};
      const wrong: string[] = [];
      for (let n = 0; n < FLIPS; n++) {
        const [at, bit] = [random.pick(used), random.int(8)];
        try {
          const kind = await flip(at, bit);
          tally[kind] = (tally[kind] ?? 0) + 1;
        } catch (error) {
          wrong.push(`byte ${at} bit ${bit}: ${error instanceof Error ? error.message.slice(0, 300) : String(error)}`);
        }
      }
      process.stdout.write(`${FLIPS} flips on ${driver}: ${JSON.stringify(tally)}, unnoticed: ${wrong.length}\n`);
      expect(wrong).toEqual([]);
    },
    60_000 + FLIPS * 1_000,
  );
});
