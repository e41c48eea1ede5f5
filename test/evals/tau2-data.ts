import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe } from 'vitest';

const folder = fileURLToPath(new URL('../../../shared/tau2/', import.meta.url));

/** The benchmark's data and the recordings of its reference, where they lie beside the checkout. */
export const tau2: { readonly data: string; readonly oracle: string } | undefined = existsSync(`${folder}oracle`)
  ? { data: `${folder}data`, oracle: `${folder}oracle` }
  : undefined;

/** `describe` for tests that need them; without them they are skipped, and the output says so. */
export const withTau2: typeof describe | typeof describe.skip = tau2 === undefined ? saidSkip() : describe;

function saidSkip(): typeof describe.skip {
  console.log(`Skipped: the tau2 data and recordings are not in ${folder}.`);
  return describe.skip;
}
