import { createHash } from 'node:crypto';

/** Ids follow from what a record is about, so that the same course gives the same database. */
export function idFor(prefix: string, ...about: readonly (string | number)[]): string {
  const digest = createHash('sha256')
    .update([prefix, ...about].join(':'))
    .digest('hex');
  return `${prefix}_${digest.slice(0, 10)}`;
}
