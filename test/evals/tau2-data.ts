import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { root } from '../../scripts/files.mjs';

/** The benchmark's data and the recordings of its reference. They lie beside the checkout, or where the variable says. */
const folder = process.env['FLYBALL_RECORDINGS'] ?? join(root, '../shared/tau2');
const isThere = existsSync(join(folder, 'oracle'));
const missing = `The tau2 data and recordings are not in ${folder}.`;
if (!isThere) console.log(`Skipped: ${missing}`);

/** Where they are. Only what runs inside `withTau2` may ask. */
export function tau2(): { readonly data: string; readonly oracle: string } {
  if (!isThere) throw new Error(`${missing} Put what needs them inside withTau2.`);
  return { data: join(folder, 'data'), oracle: join(folder, 'oracle') };
}

/**
 * `describe` for tests that need them. Without them one skipped test with the reason stands for all of its body, which
 * is not run: the body of a `describe.skip` is, while tests are collected, and would read files that are not there.
 */
export function withTau2(title: string, body: () => void): void {
  if (isThere) describe(title, body);
  else it(title, (context) => context.skip(missing));
}
