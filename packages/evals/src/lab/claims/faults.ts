import { directCall } from 'flyball/patterns';
import { faultSeams } from '../../suites/fault.js';
import { itemOf, solving } from '../arms.js';
import type { Arm, Claim } from '../claim.js';
import { always, chanceOf } from '../exactly.js';
import { arithmetic } from '../worlds/arithmetic.js';
import { comesThrough, type FaultRates, faultFor } from '../worlds/faults.js';

interface Faulty extends FaultRates {
  readonly tries: number;
}

const ANY = {
  '~standard': { version: 1, vendor: 'lab', validate: (value: unknown) => ({ value: value as { item: number } }) },
} as const;
const PATIENT = { baseDelayMs: 10, maxDelayMs: 20, jitterMs: 0, breaker: { failures: 1e9, openMs: 1 } };

/** A service that answers, behind the guards that make its calls fail. */
function direct({ tries, ...rates }: Faulty): Arm {
  return solving(`I1 ${tries} ${JSON.stringify(rates)}`, {
    questions: arithmetic,
    families: {},
    agent: () => {
      const call = directCall<{ readonly item: number }, string>(
        { name: 'sum', input: ANY, send: async ({ item }) => arithmetic.truth(item), effect: 'pure' },
        { maxTries: tries, ...PATIENT },
      );
      return async (run, ask) => {
        const item = itemOf(ask);
        const fault = faultFor(item, 'sum', rates);
        return call(fault === undefined ? run : run.guarded(faultSeams(fault)), { item });
      };
    },
    more: () => ({ isTimed: true }),
  });
}

const directClaim = (given: Faulty): Omit<Claim, 'id' | 'side' | 'says'> => ({
  pattern: 'I1',
  world: 'W10',
  family: 'faults',
  parameters: { rate: given.rate, lasts: given.lasts, kinds: given.kinds.join(' '), tries: given.tries },
  formula: '1 - f + f · s · (1 - l^(r - 1)), s the share of kinds that pass',
  arm: direct(given),
  baseline: direct({ ...given, tries: 1 }),
  expected: () => ({ value: chanceOf(comesThrough(given, given.tries)), calls: always(0) }),
  expectedBaseline: () => ({ value: chanceOf(comesThrough(given, 1)) }),
});

/** Claims in the world of faults. */
export const faults: readonly Claim[] = [
  {
    ...directClaim({ rate: 0.4, lasts: 0.5, kinds: ['timeout', '5xx', 'rate-limit', '4xx'], tries: 3 }),
    id: 'I1-retries',
    side: 'gains',
    says: 'A service that fails in 40% of its calls, a quarter of them for good, tried three times.',
  },
  {
    ...directClaim({ rate: 1, lasts: 1, kinds: ['5xx'], tries: 3 }),
    id: 'I1-down',
    side: 'loses',
    says: 'A service that is down: three tries find out what one does.',
  },
];
