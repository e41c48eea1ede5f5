import { FlyballError } from 'flyball';
import { type BenchSetting, type Measured, measure } from './bench.js';
import { type Arm, type Claim, TOLERANCE } from './claim.js';
import type { Moments } from './exactly.js';
import { draw } from './simulated.js';
import { deviations, meanOf, type Paired, paired, type ShareInterval, wilson } from './statistics.js';

/** One side of a row. */
export interface Side {
  readonly value: number;
  /** Wilson, 95%. */
  readonly interval: ShareInterval;
  readonly calls: number;
  readonly tokens: number;
  readonly expected: number;
  readonly z: number;
}

/** What a claim came to. */
export interface Row {
  readonly id: string;
  readonly pattern: string;
  readonly world: string;
  readonly family: string;
  readonly parameters: Claim['parameters'];
  readonly says: string;
  readonly side: Claim['side'];
  readonly formula: string;
  readonly items: number;
  readonly measured: Side & { readonly expectedCalls: number; readonly callsZ: number };
  readonly baseline: Side;
  readonly paired: Paired;
  /** Every |z| is below the tolerance. */
  readonly holds: boolean;
}

export interface ClaimRun {
  readonly items: number;
  readonly seed: number;
  /** Each arm dies once, at a write that the seed chooses. */
  readonly crashes?: boolean;
  readonly onRow?: (row: Row, done: number) => void;
  /** A claim whose package is not installed. Without it, that is an error. */
  readonly onLeftOut?: (id: string, why: string) => void;
}

/** Runs claims one after the other. Arms that several claims share are run once. */
export async function runClaims(
  claims: readonly Claim[],
  { items, seed, crashes = false, onRow, onLeftOut }: ClaimRun,
): Promise<readonly Row[]> {
  const known = new Map<string, Promise<Measured>>();
  const measured = (arm: Arm, n: number): Promise<Measured> => {
    const name = `${arm.name} ${n}`;
    const one = known.get(name) ?? (crashes ? crashed(arm, { seed, items: n }) : measure(arm, { seed, items: n }));
    known.set(name, one);
    return one;
  };
  const rows: Row[] = [];
  for (const claim of claims) {
    const n = Math.max(1, Math.ceil(items / (claim.weight ?? 1)));
    const sides = await both(claim, (arm) => measured(arm, n), onLeftOut);
    if (sides === undefined) continue;
    const row = await rowOf(claim, n, sides);
    rows.push(row);
    onRow?.(row, rows.length);
  }
  return rows;
}

/** Undefined where the claim needs a package that is not there. */
async function both(
  { id, arm, baseline }: Claim,
  measured: (arm: Arm) => Promise<Measured>,
  onLeftOut: ClaimRun['onLeftOut'],
): Promise<{ readonly arm: Measured; readonly baseline: Measured } | undefined> {
  try {
    return { arm: await measured(arm), baseline: await measured(baseline) };
  } catch (error) {
    if (onLeftOut === undefined || !(error instanceof FlyballError) || error.code !== 'DRIVER_MISSING') throw error;
    onLeftOut(id, error.message);
    return undefined;
  }
}

/** The same arm, once to count its writes, and once with a crash at one of them. */
export async function crashed(arm: Arm, setting: BenchSetting): Promise<Measured> {
  const { writes = 0 } = await measure(arm, { ...setting, counts: true });
  const crashAt = 1 + Math.floor(draw(setting.seed, 'crash', arm.name) * writes);
  return measure(arm, { ...setting, crashAt });
}

async function rowOf(
  claim: Claim,
  items: number,
  { arm, baseline }: { readonly arm: Measured; readonly baseline: Measured },
): Promise<Row> {
  const expected = await claim.expected(items);
  const before = await claim.expectedBaseline(items);
  const callsZ = deviations(meanOf(arm.calls), expected.calls, items);
  const measured = { ...sideOf(arm, expected.value, items), expectedCalls: expected.calls.mean, callsZ };
  const other = sideOf(baseline, before.value, items);
  const { id, pattern, world, family, parameters, says, side, formula } = claim;
  return {
    id,
    pattern,
    world,
    family,
    parameters,
    says,
    side,
    formula,
    items,
    measured,
    baseline: other,
    paired: paired(arm, baseline),
    holds: [measured.z, callsZ, other.z].every((z) => Math.abs(z) < TOLERANCE),
  };
}

function sideOf({ scores, calls, tokens }: Measured, expected: Moments, items: number): Side {
  const value = meanOf(scores);
  return {
    value,
    interval: wilson(value * items, items),
    calls: meanOf(calls),
    tokens: meanOf(tokens),
    expected: expected.mean,
    z: deviations(value, expected, items),
  };
}
