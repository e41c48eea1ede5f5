import fc from 'fast-check';
import type { Agent } from 'flyball';
import { codeTest, mapReduce, reflexion, selfConsistency, untilApproved, useOf, zeroShot } from 'flyball/patterns';
import { scriptedModel } from 'flyball/testing';
import { expect, it } from 'vitest';
import { ended, session } from '../patterns/bed.js';

/** A composition as data, so that a failure shrinks. */
type Shape =
  | { readonly kind: 'ask' }
  | { readonly kind: 'vote'; readonly samples: number; readonly inner: Shape }
  | { readonly kind: 'retry'; readonly most: number; readonly passes: readonly boolean[]; readonly inner: Shape }
  | { readonly kind: 'approve'; readonly most: number; readonly passes: readonly boolean[]; readonly inner: Shape }
  | { readonly kind: 'split'; readonly tasks: number; readonly inner: Shape };

const { shape } = fc.letrec<{ shape: Shape }>((tie) => ({
  shape: fc.oneof(
    { depthSize: 'small', maxDepth: 3, withCrossShrink: true },
    fc.constant<Shape>({ kind: 'ask' }),
    fc.record({ kind: fc.constant('vote' as const), samples: fc.integer({ min: 2, max: 4 }), inner: tie('shape') }),
    fc.record({
      kind: fc.constant('retry' as const),
      most: fc.integer({ min: 1, max: 3 }),
      passes: fc.array(fc.boolean(), { maxLength: 6 }),
      inner: tie('shape'),
    }),
    fc.record({
      kind: fc.constant('approve' as const),
      most: fc.integer({ min: 1, max: 3 }),
      passes: fc.array(fc.boolean(), { maxLength: 6 }),
      inner: tie('shape'),
    }),
    fc.record({ kind: fc.constant('split' as const), tasks: fc.integer({ min: 1, max: 3 }), inner: tie('shape') }),
  ),
}));

/** Each judge has its own list of verdicts, and fails when it runs out. */
const verdicts = (passes: readonly boolean[]) => {
  const left = [...passes];
  return codeTest<string, string>(() => ((left.shift() ?? false) ? { ok: true } : { ok: false, because: 'not yet' }));
};

function built(of: Shape, model: ReturnType<typeof scriptedModel>): Agent<string, string> {
  if (of.kind === 'ask') return zeroShot(session(model, 'q')) as Agent<string, string>;
  const inner = built(of.inner, model);
  switch (of.kind) {
    case 'vote':
      return selfConsistency(inner, {}, { samples: of.samples });
    case 'retry':
      return reflexion(
        inner,
        { test: verdicts(of.passes), critic: session(model, 'critic') },
        { maxAttempts: of.most },
      );
    case 'approve':
      return untilApproved(inner, { test: verdicts(of.passes) }, { maxRounds: of.most });
    case 'split':
      return mapReduce(
        {
          split: (text: string) => Array.from({ length: of.tasks }, () => text),
          worker: inner,
          join: (slots) => String(slots.length),
        },
        { maxWorkers: of.tasks, quorum: 1 },
      );
  }
}

it('predicted intervals contain the calls that were made, and formulas are exact, over random compositions and verdicts [R17-INTERVALS]', async () => {
  await fc.assert(
    fc.asyncProperty(shape, async (of) => {
      const model = scriptedModel({ q: (_request, n) => `answer ${n}`, critic: () => 'It is wrong.' });
      const agent = built(of, model);
      const { min, max } = useOf(agent)?.predicted ?? { min: Number.NaN, max: Number.NaN };
      const { outcome } = await ended(agent, 'question'); // holds every span against its interval; the hook holds each against its formula
      expect(model.requests.length).toBeLessThanOrEqual(max);
      if (outcome.stop === 'done') expect(model.requests.length).toBeGreaterThanOrEqual(min);
    }),
    { numRuns: 60, seed: 17 },
  );
});
