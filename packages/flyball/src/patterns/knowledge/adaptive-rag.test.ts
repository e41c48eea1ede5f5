import { type AdaptiveRagOptions, type AdaptiveRagParts, adaptiveRag, useOf } from 'flyball/patterns';
import { type ScriptedModel, scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { piece } from '../../../../../test/checks/stage-checks.js';
import { ended, session } from '../../../../../test/patterns/bed.js';
import type { Evidence } from '../../core/work.js';
import type { Retriever } from '../../ports/retriever.js';

const QUESTION = 'When did the bridge open?';

function shelf(name: string, text: string): Retriever & { readonly asked: string[] } {
  const asked: string[] = [];
  const found: Evidence = piece(name, text, { source: name });
  const retrieve: Retriever['retrieve'] = async (query) => {
    asked.push(query);
    return [found];
  };
  return { name, asked, retrieve };
}

type Script = Partial<
  Record<'classifier' | 'scorer' | 'rewriter' | 'answerer' | 'checker', string | readonly string[]>
>;

async function answer(script: Script, options: AdaptiveRagOptions = {}, more: Partial<AdaptiveRagParts> = {}) {
  const model = scriptedModel(script);
  const [lookup, other] = [shelf('archive', 'Opened 1894.'), shelf('newspaper', 'The bridge opened in 1894.')];
  const { outcome, uses } = await ended(
    adaptiveRag({ ...sessions(model), lookup, fallbacks: [other], ...more }, options),
    QUESTION,
  );
  if (outcome.stop !== 'done') throw new Error(outcome.stop);
  model.assertFinished();
  return { value: outcome.value, calls: model.requests.length, model, lookup, other, uses };
}

function sessions(model: ScriptedModel) {
  return {
    classifier: session(model, 'classifier'),
    scorer: session(model, 'scorer'),
    rewriter: session(model, 'rewriter'),
    answerer: session(model, 'answerer'),
    checker: session(model, 'checker'),
  };
}

describe('adaptiveRag', () => {
  it('answers directly in two calls, without looking anything up [R5-RET-ADAPTIVE] [K5.acceptance]', async () => {
    const { value, calls, lookup } = await answer({ classifier: 'DIRECT', answerer: '4' });
    expect(value).toMatchObject({ path: 'direct', text: '4', grounded: false, evidence: [] });
    expect([calls, lookup.asked]).toEqual([2, []]);
  });

  it('takes four calls where everything is in order, and carries path, verdicts and whether it is grounded [R5-RET-ADAPTIVE] [K5.7] [K5.acceptance]', async () => {
    const script = { classifier: 'RETRIEVE', scorer: 'PASS', answerer: '1894 [1]', checker: 'SUPPORTED' };
    const { value, calls } = await answer(script);
    expect(value).toMatchObject({
      path: 'retrieved',
      text: '1894 [1]',
      grounded: true,
      verdicts: { classifier: 'RETRIEVE', scorer: ['PASS'], checker: 'SUPPORTED' },
      queries: [QUESTION],
    });
    expect(calls).toBe(4);
  });

  it('rewrites once, then asks the other source, each judged alike: seven calls [R5-RET-ADAPTIVE] [K5.3] [K5.acceptance]', async () => {
    const { value, calls, lookup, other, model } = await answer({
      classifier: 'RETRIEVE',
      scorer: ['FAIL', 'FAIL', 'PASS'],
      rewriter: 'opening year of the bridge',
      answerer: '1894 [1]',
      checker: 'SUPPORTED',
    });
    expect(value).toMatchObject({ verdicts: { scorer: ['FAIL', 'FAIL', 'PASS'] }, grounded: true });
    expect(calls).toBe(7);
    expect(lookup.asked).toEqual([QUESTION, 'opening year of the bridge']);
    expect(other.asked).toEqual(['opening year of the bridge']);
    expect(value.evidence.map(({ source }) => source)).toEqual(['newspaper']);
    expect(model.promptAt('scorer', 3)).toContain('The bridge opened in 1894.');
  });

  it('gives whoever answers what was approved, and nothing else [K5.5]', async () => {
    const { model } = await answer({
      classifier: 'RETRIEVE',
      scorer: ['FAIL', 'FAIL', 'PASS'],
      rewriter: 'opening year',
      answerer: '1894 [1]',
      checker: 'SUPPORTED',
    });
    expect(model.promptAt('answerer')).toContain('The bridge opened in 1894.');
    expect(model.promptAt('answerer')).not.toContain('Opened 1894.');
    expect(model.requests.every(({ tools }) => tools === undefined || tools.length === 0)).toBe(true);
  });

  it('stops after its rounds however often it fails, and abstains [R5-RET-ADAPTIVE] [K5.6] [K5.acceptance]', async () => {
    const fallbacks = Array.from({ length: 9 }, (_none, nth) => shelf(`source-${nth}`, 'nothing'));
    const script = { classifier: 'RETRIEVE', scorer: ['FAIL', 'FAIL', 'FAIL'], rewriter: 'the opening' };
    const { value, calls } = await answer(script, {}, { fallbacks });
    expect(value).toMatchObject({ path: 'not-found', grounded: false, evidence: [] });
    expect(value).not.toHaveProperty('text');
    expect([calls, value.verdicts.scorer.length]).toEqual([5, 3]);
  });

  it('answers all the same where that is wanted, and never calls it grounded', async () => {
    const script = { classifier: 'RETRIEVE', scorer: ['FAIL'], answerer: 'Perhaps 1894.', checker: 'SUPPORTED' };
    const { value, calls } = await answer(script, { maxRounds: 1, whenNotFound: 'answer-anyway' });
    expect(value).toMatchObject({ path: 'not-found', text: 'Perhaps 1894.', grounded: false });
    expect(calls).toBe(4);
  });

  it('revises once what is not supported, and claims nothing about the revision [R5-RET-ADAPTIVE] [K5.acceptance]', async () => {
    const { value, calls, model } = await answer({
      classifier: 'RETRIEVE',
      scorer: 'PASS',
      answerer: ['1894, by Eiffel [1]', '1894 [1]'],
      checker: 'UNSUPPORTED',
    });
    expect(value).toMatchObject({ text: '1894 [1]', revised: true, grounded: false });
    expect(calls).toBe(5);
    expect(model.promptAt('answerer', 2)).toContain('by Eiffel');
  });

  it.each([
    ['classifier', { classifier: 'Well, perhaps', scorer: 'PASS', answerer: 'x', checker: 'SUPPORTED' }, 'RETRIEVE'],
    ['checker', { classifier: 'RETRIEVE', scorer: 'PASS', answerer: ['x', 'y'], checker: 'hm' }, 'UNSUPPORTED'],
  ] as const)('takes an unreadable verdict of the %s for the careful one', async (who, script, counted) => {
    const { value } = await answer(script);
    expect(value.verdicts[who]).toBe(counted);
  });

  it('takes an unreadable verdict of the scorer for a failure', async () => {
    const { value } = await answer({ classifier: 'RETRIEVE', scorer: ['good enough'] }, { maxRounds: 1 });
    expect(value.verdicts.scorer).toEqual(['FAIL']);
  });

  it('shows each judge only what it judges [R5-RET-ADAPTIVE] [K5.1] [K5.2] [K5.4]', async () => {
    const script = { classifier: 'RETRIEVE', scorer: 'PASS', answerer: 'ANSWER [1]', checker: 'SUPPORTED' };
    const { model } = await answer(script);
    expect(model.promptAt('classifier')).not.toContain('Opened 1894');
    expect(model.promptAt('scorer')).toContain('Opened 1894');
    expect(model.promptAt('scorer')).not.toContain('ANSWER');
    expect(model.promptAt('checker')).toContain('ANSWER');
    expect(model.promptAt('checker')).toContain('Opened 1894');
    expect(model.promptAt('checker')).not.toContain(QUESTION);
  });

  it('refuses settings without bounds, judges with tools, and a judge in the session of the author [K5.2]', () => {
    const model = scriptedModel({});
    const parts = { ...sessions(model), lookup: shelf('a', '') };
    expect(() => adaptiveRag(parts, { maxRounds: 0 })).toThrow('maxRounds to be a whole number of at least 1');
    expect(() => adaptiveRag({ ...parts, classifier: { ...parts.classifier, tools: [] } })).toThrow('without tools');
    expect(() => adaptiveRag({ ...parts, checker: parts.answerer })).toThrow(
      'adaptiveRag (K5) needs a checker that is not the session of its answerer',
    );
  });

  it('says before it runs what it can cost [R11-PATTERN-USE]', () => {
    const parts = { ...sessions(scriptedModel({})), lookup: shelf('a', '') };
    expect(useOf(adaptiveRag(parts))).toMatchObject({ id: 'K5', predicted: { min: 1, max: 8 }, provides: ['K2'] });
  });
});
