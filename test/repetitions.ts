/**
 * How many times a test does what it does again and again: schedules, kills, generated programs. `npm test` tries a
 * sample of them, `npm run test:full` all, and `npm run test:full -- --times 10` ten times as many.
 */
export function repetitions({ sample, full }: { readonly sample: number; readonly full: number }): number {
  const times = process.env['FLYBALL_TIMES'];
  return times === undefined ? sample : full * Number(times);
}
