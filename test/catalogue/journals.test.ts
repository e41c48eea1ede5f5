import { type Agent, budget, createRuntime, done, memoryEngine } from 'flyball';
import { lintJournals, suggestForTask, suggestFromJournals } from 'flyball/catalogue';
import { reAct, selfConsistency, zeroShot } from 'flyball/patterns';
import { type Script, scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { patternsIn } from 'flyball/views';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { RunJournal } from '../../packages/flyball/src/catalogue/journal.js';
import { taskFields } from '../../packages/flyball/src/catalogue/suggest.js';
import { session } from '../patterns/bed.js';

async function journalOf<I>(agent: Agent<I, unknown>, input: I): Promise<RunJournal> {
  const runtime = createRuntime({ engine: memoryEngine(), agents: { agent: agent as Agent<unknown, unknown> } });
  const handle = await runtime.start('agent', input, { budget: budget() });
  await handle.outcome();
  const entries = await runtime.entries(handle.id);
  await runtime.close();
  return { run: handle.id, entries, spans: patternsIn(entries) };
}

const look = tool({
  name: 'look',
  description: 'Looks something up.',
  input: z.object({ key: z.string() }),
  effect: 'pure',
  execute: async ({ key }) => `value-of-${key}`,
});
const idle = tool({
  name: 'idle',
  description: 'Is never called.',
  input: z.object({}),
  effect: 'pure',
  execute: async () => '',
});
const call = (key: string) => ({
  text: '',
  toolCalls: [{ id: key, name: 'look', arguments: JSON.stringify({ key }) }],
});
const looker = (worker: Script[string]) =>
  reAct({ worker: session(scriptedModel({ worker }), 'worker', { setup: 'You look.' }), tools: [look, idle] });
const independent = () => looker([call('aaaa'), call('bbbb'), call('cccc'), 'done']);
const dependent = () => looker([call('aaaa'), call('value-of-aaaa'), call('value-of-value-of-aaaa'), 'done']);
const rulesOf = (journals: readonly RunJournal[], options = {}) =>
  lintJournals(journals, undefined, options).map(({ rule }) => rule);

describe('journals', () => {
  it('show a loop whose calls never used an earlier result, and none where they did [R17-TRACE]', async () => {
    expect(rulesOf([await journalOf(independent(), 'Look at aaaa, bbbb and cccc.')])).toEqual(['CE3']);
    expect(rulesOf([await journalOf(dependent(), 'Follow aaaa.')])).toEqual([]);
  });

  it('show the same calls in every run, and tools that nobody calls [R17-TRACE]', async () => {
    const journals = await Promise.all(Array.from({ length: 5 }, () => journalOf(dependent(), 'Follow aaaa.')));
    expect(rulesOf(journals, { runs: 5 })).toEqual(expect.arrayContaining(['A2', 'A12']));
    expect(rulesOf(journals, { runs: 6 })).toEqual([]);
  });

  it('show children that wait for each other and use nothing of each other [R17-TRACE]', async () => {
    const child: Agent<string, string> = async (_run, input) => done(`${input}-found`);
    const serial =
      (next: (first: string) => string): Agent<string, string> =>
      async (run) => {
        const first = await run.spawn(child, 'alpha', { modelCalls: 1 });
        const second = await run.spawn(child, next(first.stop === 'done' ? first.value : ''), { modelCalls: 1 });
        return second;
      };
    expect(
      rulesOf([
        await journalOf(
          serial(() => 'omega'),
          'go',
        ),
      ]),
    ).toEqual(['A8']);
    expect(
      rulesOf([
        await journalOf(
          serial((first) => first),
          'go',
        ),
      ]),
    ).toEqual([]);
  });

  it('show a pattern that no description names, and one that made other calls than predicted [R17-TRACE]', async () => {
    const vote = selfConsistency(zeroShot(session(scriptedModel({ q: () => '18' }), 'q')), {}, { samples: 3 });
    const journal = await journalOf(vote, 'How many?');
    expect(lintJournals([journal], { agents: { vote } })).toEqual([]);
    const declared = lintJournals([journal], { agents: { only: zeroShot(session(scriptedModel({}), 'q')) } });
    expect(declared.map(({ rule, at }) => [rule, at.split(':')[1]])).toEqual([['UNDECLARED', '/selfConsistency.0']]);
    const spans = journal.spans.map((span) => ({ ...span, modelCalls: span.modelCalls + 1 }));
    expect(rulesOf([{ ...journal, spans }])).toContain('UNPREDICTED');
  });

  it('show an answer that claims feelings [R17-TRACE]', async () => {
    const warm = zeroShot(session(scriptedModel({ q: () => 'I feel so lonely without you.' }), 'q'));
    expect(rulesOf([await journalOf(warm, 'Hello')])).toEqual(['HA1']);
  });
});

describe('suggestions', () => {
  it('follow from journals, with rule, measured value, threshold and predicted calls [R17-SUGGEST]', async () => {
    const journals = await Promise.all(
      Array.from({ length: 5 }, () => journalOf(independent(), 'Look at aaaa, bbbb and cccc.')),
    );
    const [planned] = suggestFromJournals(journals);
    expect(planned).toMatchObject({
      rule: 'CE3',
      take: ['R5'],
      instead: ['R4'],
      measured: { 'calls that used no earlier result': 1, 'model calls a run': 4 },
      threshold: 'at least 0.95',
      predicted: { R5: { min: 1, max: 3 } },
    });
    expect(suggestFromJournals(journals.slice(1))).toEqual([]);
  });

  it('say when a vote is larger than it has to be [R17-SUGGEST]', async () => {
    const vote = () => selfConsistency(zeroShot(session(scriptedModel({ q: () => '18' }), 'q')), {}, { samples: 10 });
    const journals = await Promise.all(Array.from({ length: 5 }, () => journalOf(vote(), 'How many?')));
    expect(suggestFromJournals(journals)).toContainEqual(
      expect.objectContaining({
        rule: 'R17',
        measured: { agreement: 1, samples: 10 },
        predicted: { R17: { min: 5, max: 7 } },
      }),
    );
  });

  it('follow from the fields of a task by the decision guides [R17-SUGGEST]', () => {
    const found = suggestForTask({
      'language-decides': true,
      tools: 4,
      'schema-share': 0.02,
      'calls-independent': true,
      'pass-fail-test': true,
    });
    expect(found.map(({ rule, take }) => [rule, take])).toEqual([
      ['E1.own-tools', ['I2']],
      ['E3.1-independent', ['R5']],
      ['R.test', ['R7']],
    ]);
    expect(found[0]).toMatchObject({
      measured: { tools: 4, 'schema-share': 0.02 },
      threshold: 'language-decides yes, tools at least 1 and at most 15, schema-share below 0.1',
    });
    expect(suggestForTask({ tools: 41 }).map(({ rule }) => rule)).toEqual(['E1.tools-refused']);
    expect(taskFields).toContain('calls-independent');
  });
});
