import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FlyballError } from '../core/errors.js';
import type { TokenUsage } from '../core/model.js';
import type { Clock } from '../ports/clock.js';
import {
  type Act,
  answers,
  cutOff,
  endOf,
  fails,
  puppet,
  rateLimited,
  rejected,
  request,
  routed,
  serverError,
  windowExceeded,
} from './routing.test-data.js';

/** Waits take a turn each: what counts here is how often, not how long. */
const hurried: Clock = {
  now: () => 0,
  monotonic: () => 0,
  after: (_, callback) => {
    const turn = setImmediate(callback);
    return () => clearImmediate(turn);
  },
};

const DEEDS = {
  answers: () => answers('hello'),
  unpaid: () => fails(serverError()),
  limited: () => fails(rateLimited(5)),
  paid: () => fails(cutOff()),
  rejected: () => fails(rejected()),
  window: () => fails(windowExceeded()),
  defect: () => fails(new TypeError('x is undefined')),
} satisfies Record<string, () => Act>;

type Deed = keyof typeof DEEDS;
const deed = fc.constantFrom(...(Object.keys(DEEDS) as Deed[]));
const PAID: ReadonlySet<Deed> = new Set(['answers', 'paid', 'defect']);

it('pays for no more attempts than it announced, and reports each failed one, whatever happens [R3-ROUTER-BUDGET]', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(deed, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 }),
      fc.record({ retries: fc.nat(3), maxPaidFailures: fc.nat(3) }),
      async (scripts, limits) => {
        const played: Deed[] = [];
        const models = scripts.map((script, n) =>
          puppet(
            `p${n}/m`,
            script.map(
              (each): Act =>
                (asked, how) => {
                  played.push(each);
                  return DEEDS[each]()(asked, how);
                },
            ),
          ),
        );
        const [first, ...rest] = models;
        if (first === undefined) return;
        const { model } = await routed(hurried, [first, ...rest], { retry: limits, breaker: { failures: 100 } });
        const end = await endOf(model.generate(request, { key: 'k', signal: new AbortController().signal }));

        const paid = played.filter((each) => PAID.has(each)).length;
        expect(paid).toBeLessThanOrEqual(model.paidAttempts ?? 1);
        expect(played.length).toBeLessThanOrEqual(models.length * (1 + limits.retries));
        const failed = played.filter((each) => each === 'paid' || each === 'defect').length;
        const wasted = failed === 0 ? undefined : { input: failed * 10, output: failed * 50 };
        expect(end instanceof FlyballError ? end.detail['wasted'] : (end as { wasted?: TokenUsage }).wasted).toEqual(
          wasted,
        );
        expect(end instanceof Error).toBe(played.at(-1) !== 'answers');
      },
    ),
    { numRuns: 300 },
  );
});
