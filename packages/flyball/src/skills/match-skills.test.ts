import { type Clock, type Run, systemClock } from 'flyball';
import { type Script, scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { inRun } from '../../../../test/policies/stage-policies.js';
import { eventsOf, Stage } from '../../../../test/runtime/stage.js';
import { done } from '../core/outcome.js';
import { scoreSkills } from './lexical-score.js';
import { strictFilter } from './match-filters.js';
import { type MatchStages, matchSkills, type SkillMatch } from './match-skills.js';
import type { Skill } from './skill.js';
import { skillLibrary } from './skill-library.js';

function skill(name: string, description: string, keywords: readonly string[] = []): Skill {
  return {
    name,
    description,
    metadata: {},
    version: '1',
    keywords,
    disallowedTools: [],
    governance: {},
    instructions: `The way of ${name}.`,
    folder: `/${name}`,
    files: [],
    hash: name,
    open: async () => new Uint8Array(),
  };
}

const LIBRARY = skillLibrary([
  skill('refunds', 'Pays money back to customers who return goods.', ['chargeback']),
  skill('invoices', 'Writes invoices to customers.'),
  skill('pdf-forms', 'Fills in PDF forms.'),
  skill('tides', 'Knows when the tide turns.'),
]);

interface Matched {
  readonly match: SkillMatch;
  readonly notes: readonly unknown[];
  readonly model: ReturnType<typeof scriptedModel>;
}

async function match(
  request: string,
  stages: (model: ReturnType<typeof scriptedModel>) => MatchStages,
  script: Script = {},
): Promise<Matched> {
  const model = scriptedModel(script);
  const stage = new Stage<Clock>(systemClock());
  const life = stage.open(async (run: Run) => done(await matchSkills(run, LIBRARY, request, stages(model))));
  const outcome = await life.start();
  if (outcome.stop !== 'done') throw new Error(JSON.stringify(outcome));
  const notes = eventsOf(await stage.entries(), 'note').map(({ event }) => event);
  return { match: outcome.value as SkillMatch, notes, model };
}

const names = ({ match: { matched } }: Matched) => matched.map(({ name }) => name);
const verdicts = (...skills: readonly object[]) => JSON.stringify({ skills });

describe('lexical scoring', () => {
  it('ranks by the words of name, keywords and description, rare ones first [R5-SKILL-MATCH]', () => {
    const ranked = scoreSkills('A customer wants a refund for returned goods', LIBRARY.all()).map(
      ({ skill: of }) => of.name,
    );
    expect(ranked).toEqual(['refunds', 'invoices']);
    expect(scoreSkills('a chargeback', LIBRARY.all()).map(({ skill: of }) => of.name)).toEqual(['refunds']);
    expect(scoreSkills('filling forms', LIBRARY.all()).map(({ skill: of }) => of.name)).toEqual(['pdf-forms']);
    expect(scoreSkills('nothing of it', LIBRARY.all())).toEqual([]);
    expect(scoreSkills('anything', [])).toEqual([]);
  });
});

describe('matching', () => {
  it('works without any model, and journals what it decided [R5-SKILL-MATCH-OPTIONAL] [R5-SKILL-MATCH]', async () => {
    const made = await match('refund the customer', () => ({}));
    expect(made.match.matched).toEqual([
      { name: 'refunds', score: expect.any(Number), instructions: 'The way of refunds.' },
      { name: 'invoices', score: expect.any(Number), instructions: 'The way of invoices.' },
    ]);
    expect(made.notes).toEqual([
      {
        kind: 'skill-match',
        stage: 'lexical',
        kept: ['refunds', 'invoices'],
        dropped: [
          { name: 'pdf-forms', because: 'it shares no word' },
          { name: 'tides', because: 'it shares no word' },
        ],
      },
      { kind: 'skill-match', stage: 'load', kept: ['refunds', 'invoices'], dropped: [] },
    ]);
    expect(made.model.requests).toEqual([]);
  });

  it('asks one filter about a lone candidate, and not two [F-E5]', async () => {
    const stages = (model: ReturnType<typeof scriptedModel>): MatchStages => ({
      lenient: { name: 'lenient', model },
      strict: { name: 'strict', model },
    });
    const made = await match('a chargeback', stages, { strict: verdicts({ name: 'refunds', relevant: 'yes' }) });
    expect(names(made)).toEqual(['refunds']);
    expect(made.model.requests.map(({ session }) => session)).toEqual(['strict']);
    const lenientOnly = await match('a chargeback', (model) => ({ lenient: { name: 'lenient', model } }), {
      lenient: verdicts({ name: 'refunds', relevant: 'no' }),
    });
    expect(names(lenientOnly)).toEqual([]);
  });

  it('takes only so many candidates and so good ones [R5-SKILL-MATCH]', async () => {
    expect(names(await match('refund the customer', () => ({ lexical: { limit: 1 } })))).toEqual(['refunds']);
    const none = await match('refund the customer', () => ({ lexical: { minScore: 100 } }));
    expect(names(none)).toEqual([]);
    expect(JSON.stringify(none.notes)).toContain('is below 100');
  });

  it('goes through all four stages: words, a lenient look, loading, a strict look [R5-SKILL-MATCH]', async () => {
    const made = await match(
      'refund the customer',
      (model) => ({ lexical: false, lenient: { name: 'lenient', model }, strict: { name: 'strict', model } }),
      {
        lenient: verdicts(
          { name: 'refunds', relevant: 'yes' },
          { name: 'tides', relevant: 'no', because: 'it is about water' },
          { name: 'pdf-forms', relevant: 'maybe' },
          { name: 'made-up', relevant: 'yes' },
        ),
        strict: verdicts(
          { name: 'refunds', relevant: 'yes', because: 'it is asked for' },
          { name: 'invoices', relevant: 'maybe' },
        ),
      },
    );
    expect(names(made)).toEqual(['refunds']);
    expect(made.match.decisions.map(({ stage, kept }) => [stage, kept])).toEqual([
      ['lenient', ['invoices', 'pdf-forms', 'refunds']], // kept: what is not named, and what is in doubt
      ['load', ['invoices', 'pdf-forms', 'refunds']],
      ['strict', ['refunds']], // dropped: what is not named, and what is in doubt
    ]);
    expect(made.match.decisions[0]?.dropped).toEqual([{ name: 'tides', because: 'it is about water' }]);
    expect(made.model.requestsOf('lenient')).toHaveLength(1); // one call over all candidates
    expect(made.model.promptAt('lenient')).toContain('Pays money back');
    expect(made.model.promptAt('lenient')).not.toContain('The way of refunds'); // metadata only
    expect(made.model.promptAt('strict')).toContain('The way of refunds.');
    expect(made.model.promptAt('strict')).not.toContain('givesAway');
    made.model.assertFinished();
  });

  it('drops skills that give the answer of an evaluation away, and only then [R5-SKILL-MATCH]', async () => {
    const strict = verdicts(
      { name: 'refunds', relevant: 'yes', givesAway: true, because: 'it holds the amount' },
      { name: 'invoices', relevant: 'yes' },
    );
    const stages = (evaluation: boolean) => (model: ReturnType<typeof scriptedModel>) => ({
      strict: { name: 'strict', model },
      evaluation,
    });
    const evaluated = await match('refund the customer', stages(true), { strict });
    expect(names(evaluated)).toEqual(['invoices']);
    expect(evaluated.match.decisions.at(-1)?.dropped).toEqual([
      { name: 'refunds', because: 'gives the answer away: it holds the amount' },
    ]);
    expect(evaluated.model.promptAt('strict')).toContain('givesAway');
    expect(names(await match('refund the customer', stages(false), { strict }))).toEqual(['refunds', 'invoices']);
  });

  it('takes what speaks against a skill where a strict reply names it twice [R5-SKILL-MATCH]', async () => {
    const strict = verdicts(
      { name: 'refunds', relevant: 'yes', givesAway: true },
      { name: 'invoices', relevant: 'no' },
      { name: 'refunds', relevant: 'yes' },
      { name: 'invoices', relevant: 'yes' },
    );
    const made = await match(
      'refund the customer',
      (model) => ({ strict: { name: 'strict', model }, evaluation: true }),
      {
        strict,
      },
    );
    expect(names(made)).toEqual([]);
  });

  it('looks at the whole content, and in an evaluation drops what is too long for that [R5-SKILL-MATCH]', async () => {
    const strict = async (text: string, evaluation: boolean) => {
      const model = scriptedModel({ f: verdicts({ name: 'long', relevant: 'yes' }) });
      const loaded = [{ name: 'long', description: 'd', text }];
      const { verdicts: said } = await inRun((run) =>
        strictFilter(run, { name: 'f', model }, { request: 'r', loaded, evaluation }),
      );
      return { keeps: said[0]?.keeps, prompt: model.promptAt('f') };
    };
    const whole = await strict(`${'x'.repeat(20_000)} the answer`, true);
    expect(whole.prompt).toContain('the answer');
    expect(whole.keeps).toBe(true);
    expect((await strict('x'.repeat(50_000), true)).keeps).toBe(false);
    expect((await strict('x'.repeat(50_000), false)).keeps).toBe(true);
  });

  it('keeps all where a lenient reply cannot be read, and drops all where a strict one cannot [R5-SKILL-MATCH]', async () => {
    const lenient = await match('refund the customer', (model) => ({ lenient: { name: 'f', model } }), {
      f: (_request, n) => `I think so, ${n}.`,
    });
    expect(names(lenient)).toEqual(['refunds', 'invoices']);
    expect(lenient.match.decisions[1]?.unreadable).toMatch(/REPLY_INVALID/);
    const strict = await match('refund the customer', (model) => ({ strict: { name: 'f', model } }), {
      f: () => '{"skills": [{"name": "refunds"}]}',
    });
    expect(names(strict)).toEqual([]);
    expect(strict.notes.at(-1)).toMatchObject({
      stage: 'strict',
      unreadable: expect.stringContaining('REPLY_INVALID'),
      dropped: [{ name: 'refunds', because: expect.stringContaining('dropped: ') }, { name: 'invoices' }],
    });
  });

  it('leaves out any stage, but not the loading that a strict look needs [R5-SKILL-MATCH-OPTIONAL]', async () => {
    const unloaded = await match('refund the customer', () => ({ load: false }));
    expect(unloaded.match.matched[0]).not.toHaveProperty('instructions');
    expect(names(await match('anything', () => ({ lexical: false, load: false })))).toEqual([
      'invoices',
      'pdf-forms',
      'refunds',
      'tides',
    ]);
    const onlyStrict = await match('x', (model) => ({ lexical: false, strict: { name: 'f', model } }), {
      f: verdicts({ name: 'tides', relevant: 'yes' }),
    });
    expect(names(onlyStrict)).toEqual(['tides']);
    await expect(match('x', (model) => ({ load: false, strict: { name: 'f', model } }))).rejects.toThrow(
      /leave load: false out/,
    );
  });
});
