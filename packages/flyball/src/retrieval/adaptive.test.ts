import { type ScriptedModel, scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { inRun, piece, session } from '../../../../test/checks/stage-checks.js';
import type { Evidence } from '../core/work.js';
import type { Retriever } from '../ports/retriever.js';
import { type AdaptiveAnswer, type AdaptiveParts, adaptiveRag } from './adaptive.js';

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

type Script = Partial<Record<'gate' | 'quality' | 'rewriter' | 'generator' | 'support', string | readonly string[]>>;

async function answer(script: Script, more: Partial<AdaptiveParts> = {}) {
  const model = scriptedModel(script);
  const [inner, other] = [shelf('archive', 'Opened 1894.'), shelf('newspaper', 'The bridge opened in 1894.')];
  const parts: AdaptiveParts = { ...sessions(model), inner, fallbacks: [other], ...more };
  const outcome = await inRun((run) => adaptiveRag(parts)(run, QUESTION));
  if (outcome.stop !== 'done') throw new Error(outcome.stop);
  model.assertFinished();
  expect(model.requests).toHaveLength(outcome.value.calls);
  return { value: outcome.value as AdaptiveAnswer, model, inner, other };
}

function sessions(model: ScriptedModel) {
  return {
    gate: session(model, 'gate'),
    quality: session(model, 'quality'),
    rewriter: session(model, 'rewriter'),
    generator: session(model, 'generator'),
    support: session(model, 'support'),
  };
}

describe('adaptive retrieval', () => {
  it('answers directly in two calls, without looking anything up [R5-RET-ADAPTIVE]', async () => {
    const { value, inner } = await answer({ gate: 'DIRECT', generator: '4' });
    expect(value).toMatchObject({ path: 'direct', text: '4', grounded: false, calls: 2, evidence: [] });
    expect(inner.asked).toEqual([]);
  });

  it('takes four calls where everything is in order [R5-RET-ADAPTIVE]', async () => {
    const { value } = await answer({ gate: 'RETRIEVE', quality: 'PASS', generator: '1894 [1]', support: 'SUPPORTED' });
    expect(value).toMatchObject({
      path: 'retrieved',
      text: '1894 [1]',
      grounded: true,
      calls: 4,
      verdicts: { gate: 'RETRIEVE', quality: ['PASS'], support: 'SUPPORTED' },
      queries: [QUESTION],
    });
  });

  it('rewrites once, then asks the other source, each judged alike: seven calls [R5-RET-ADAPTIVE]', async () => {
    const { value, inner, other } = await answer({
      gate: 'RETRIEVE',
      quality: ['FAIL', 'FAIL', 'PASS'],
      rewriter: 'opening year of the bridge',
      generator: '1894 [1]',
      support: 'SUPPORTED',
    });
    expect(value).toMatchObject({ calls: 7, verdicts: { quality: ['FAIL', 'FAIL', 'PASS'] }, grounded: true });
    expect(inner.asked).toEqual([QUESTION, 'opening year of the bridge']);
    expect(other.asked).toEqual(['opening year of the bridge']);
    expect(value.evidence.map(({ source }) => source)).toEqual(['newspaper']);
  });

  it('stops after its rounds however often it fails, and abstains [R5-RET-ADAPTIVE]', async () => {
    const fallbacks = Array.from({ length: 9 }, (_none, nth) => shelf(`source-${nth}`, 'nothing'));
    const script = { gate: 'RETRIEVE', quality: ['FAIL', 'FAIL', 'FAIL'], rewriter: 'the opening' };
    const { value } = await answer(script, { fallbacks });
    expect(value).toMatchObject({ path: 'not-found', grounded: false, evidence: [], calls: 5 });
    expect(value).not.toHaveProperty('text');
  });

  it('answers all the same where that is wanted, and never calls it grounded', async () => {
    const script = {
      gate: 'RETRIEVE',
      quality: ['FAIL'],
      generator: 'Perhaps 1894.',
      support: 'SUPPORTED',
    };
    const { value } = await answer(script, { maxRounds: 1, whenNotFound: 'answer-anyway' });
    expect(value).toMatchObject({ path: 'not-found', text: 'Perhaps 1894.', grounded: false, calls: 4 });
  });

  it('revises once what is not supported, and claims nothing about the revision [R5-RET-ADAPTIVE]', async () => {
    const { value, model } = await answer({
      gate: 'RETRIEVE',
      quality: 'PASS',
      generator: ['1894, by Eiffel [1]', '1894 [1]'],
      support: 'UNSUPPORTED',
    });
    expect(value).toMatchObject({ text: '1894 [1]', revised: true, grounded: false, calls: 5 });
    expect(model.promptAt('generator', 2)).toContain('by Eiffel');
  });

  it.each([
    [
      'gate',
      'Well, perhaps',
      { gate: 'Well, perhaps', quality: 'PASS', generator: 'x', support: 'SUPPORTED' },
      'RETRIEVE',
    ],
    ['support', 'hm', { gate: 'RETRIEVE', quality: 'PASS', generator: ['x', 'y'], support: 'hm' }, 'UNSUPPORTED'],
  ] as const)('takes an unreadable verdict of the %s for the careful one', async (who, _said, script, counted) => {
    const { value } = await answer(script);
    expect(value.verdicts[who]).toBe(counted);
  });

  it('takes an unreadable verdict on quality for a failure', async () => {
    const { value } = await answer({ gate: 'RETRIEVE', quality: ['good enough'] }, { maxRounds: 1 });
    expect(value.verdicts.quality).toEqual(['FAIL']);
  });

  it('shows each judge only what it judges [R5-RET-ADAPTIVE]', async () => {
    const { model } = await answer({
      gate: 'RETRIEVE',
      quality: 'PASS',
      generator: 'ANSWER [1]',
      support: 'SUPPORTED',
    });
    expect(model.promptAt('gate')).not.toContain('Opened 1894');
    expect(model.promptAt('quality')).toContain('Opened 1894');
    expect(model.promptAt('quality')).not.toContain('ANSWER');
    expect(model.promptAt('support')).toContain('ANSWER');
    expect(model.promptAt('support')).not.toContain(QUESTION);
    expect(model.requests.every(({ tools }) => tools === undefined || tools.length === 0)).toBe(true);
  });

  it('refuses settings without bounds', () => {
    const model = scriptedModel({});
    const parts = { ...sessions(model), inner: shelf('a', ''), fallbacks: [] };
    expect(() => adaptiveRag({ ...parts, maxRounds: 0 })).toThrow(/at least 1/);
    expect(() => adaptiveRag({ ...parts, gate: { ...parts.gate, tools: [] } })).toThrow(/no tools/);
  });
});
