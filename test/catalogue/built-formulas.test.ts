import { catalogueJson } from 'flyball/catalogue';
import { adaptiveRag, compression, pruning, reflexion, useOf, withReviewers, zeroShot } from 'flyball/patterns';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { type Formula, predicted } from '../../packages/flyball/src/core/formula.js';
import { session } from '../patterns/bed.js';

const model = scriptedModel({});
const seat = (name: string) => session(model, name, { setup: `You are the ${name}.` });
const worker = zeroShot(seat('worker'));
const lookup = { name: 'none', retrieve: async () => [] };
const judges = { classifier: seat('classifier'), scorer: seat('scorer'), checker: seat('checker') };
const built = {
  K5: adaptiveRag({ lookup, ...judges, rewriter: seat('rewriter'), answerer: seat('answerer') }),
  K6: compression({ summarizer: seat('summarizer') }),
  K7: pruning(),
  O9: withReviewers(
    worker,
    { reviewers: { law: seat('law'), style: seat('style') }, editor: seat('editor'), reviser: seat('reviser') },
    { precedence: ['law', 'style'] },
  ),
  R7: reflexion(worker, { test: async () => ({ ok: true }), critic: seat('critic') }),
} as const;

/** With one call for each part. */
const worst = (calls: Formula, params: Readonly<Record<string, unknown>>) =>
  predicted(calls, { params, parts: new Proxy({}, { get: () => ({ min: 1, max: 1 }) }) });

describe('a pattern of the catalogue and its function', () => {
  it.each(['K5', 'O9', 'R7'] as const)('%s make the same calls at most and at least [R17-CATALOGUE]', (id) => {
    const use = useOf(built[id]);
    const spec = catalogueJson().patterns.find((each) => each.id === id);
    expect(worst(spec?.calls ?? 0, use?.params ?? {})).toEqual(worst(use?.calls ?? 0, use?.params ?? {}));
  });

  it.each(['K6', 'K7'] as const)('%s have the same options with the same defaults [R17-CATALOGUE]', (id) => {
    const spec = catalogueJson().patterns.find((each) => each.id === id);
    const defaults = Object.entries(spec?.params ?? {}).map(([name, { default: given }]) => [name, given]);
    expect(Object.fromEntries(defaults)).toMatchObject(useOf(built[id])?.params ?? {});
  });
});
