import { type Agent, budget, createRuntime, done, memoryEngine, type Outcome } from 'flyball';
import { lintJournals, suggestForTask, suggestFromJournals } from 'flyball/catalogue';
import { mapReduce, reAct, reflexion, selfConsistency, zeroShot } from 'flyball/patterns';
import { type Script, scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { patternsIn, timelineOf, traceOf } from 'flyball/views';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { RunJournal } from '../../packages/flyball/src/catalogue/journal.js';
import { taskFields } from '../../packages/flyball/src/catalogue/suggest.js';
import { append, linksOf } from '../../packages/flyball/src/core/prompt.js';
import { described, type Use, useOf } from '../../packages/flyball/src/core/use.js';
import { session } from '../patterns/bed.js';

async function journalOf<I>(agent: Agent<I, unknown>, input: I): Promise<RunJournal> {
  const runtime = createRuntime({ engine: memoryEngine(), agents: { agent: agent as Agent<unknown, unknown> } });
  const handle = await runtime.start('agent', input, { budget: budget() });
  await handle.outcome();
  const entries = await runtime.entries(handle.id);
  const prompts = new Map<string, NonNullable<ReturnType<NonNullable<RunJournal['prompts']>['get']>>>();
  for (const { event } of entries)
    if (event.type === 'ask-start')
      prompts.set(
        event.tip,
        linksOf(await runtime.prompt(handle.id, event.tip)).map(({ segment }) => segment),
      );
  await runtime.close();
  return { run: handle.id, entries, spans: patternsIn(entries), prompts };
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

  it('hold only the calls of one loop against each other, not those of loops beside it [R17-TRACE]', async () => {
    const worker: Script[string] = ({ messages }) => {
      const text = JSON.stringify(messages);
      return text.includes('value-of') ? 'done' : call(/item-(\w+)/.exec(text)?.[1] ?? 'none');
    };
    const each = mapReduce(
      { split: (text: string) => text.split(' '), worker: looker(worker), join: (slots) => String(slots.length) },
      { maxWorkers: 3 },
    );
    const journal = await journalOf(each, 'item-aaaa item-bbbb item-cccc');
    expect(journal.spans.filter(({ pattern }) => pattern === 'reAct')).toHaveLength(3);
    expect(rulesOf([journal])).toEqual([]);
    expect(suggestFromJournals([journal], { runs: 1 }).map(({ rule }) => rule)).not.toContain('CE3');
  });

  it('count runs that call nothing among those that do not make the same calls [R17-TRACE]', async () => {
    const calling = await Promise.all(Array.from({ length: 5 }, () => journalOf(dependent(), 'Follow aaaa.')));
    const quiet = await Promise.all(Array.from({ length: 5 }, () => journalOf(looker(['done']), 'Say something.')));
    const journals = [...calling, ...quiet];
    expect(rulesOf(journals, { runs: 5 })).not.toContain('A2');
    expect(suggestFromJournals(journals).map(({ rule }) => rule)).not.toContain('A2');
    expect(suggestFromJournals(calling).map(({ rule }) => rule)).toContain('A2');
  });

  it('do not take another try after a failure for work that could run beside it [R17-TRACE]', async () => {
    let tries = 0;
    const child: Agent<string, string> = async (_run, input) => {
      tries += 1;
      if (tries === 1) throw new Error('the line is down');
      return done(`${input}-found`);
    };
    const again: Agent<string, string> = async (run) => {
      const first = await run.spawn(child, 'alpha', { modelCalls: 1 });
      return first.stop === 'done' ? first : run.spawn(child, 'alpha', { modelCalls: 1 });
    };
    expect(rulesOf([await journalOf(again, 'go')])).toEqual([]);
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

  it('show an error after which nobody is told, and none where somebody is [R17-TRACE]', async () => {
    const away = scriptedModel({
      q: () => {
        throw new Error('nobody is there');
      },
      report: () => 'It failed.',
    });
    const quiet: Agent<string, string> = async (run, input) => {
      await run.ask(session(away, 'q'), input).catch(() => undefined);
      return done('All is well.');
    };
    const loud: Agent<string, string> = async (run, input) => {
      const failed = await run.ask(session(away, 'q'), input).catch((error: unknown) => String(error));
      return done((await run.ask(session(away, 'report'), String(failed))).text);
    };
    expect(rulesOf([await journalOf(quiet, 'Hello')])).toEqual(['A10']);
    expect(rulesOf([await journalOf(loud, 'Hello')])).toEqual([]);
  });

  describe('an error that code swallows', () => {
    const pay = tool({
      name: 'pay',
      description: 'Pays. Not for looking.',
      input: z.object({ cents: z.number() }),
      effect: 'pure',
      execute: async (): Promise<string> => {
        throw new Error('the bank refused');
      },
    });
    const answers = () => session(scriptedModel({ q: () => 'All is well.' }), 'q');
    const paid = (after: (run: Parameters<Agent<string, string>>[0], failure: string) => Promise<string>) =>
      (async (run) => {
        const result = await run.call(pay, { cents: 5 });
        return done(await after(run, result.ok ? '' : result.content));
      }) as Agent<string, string>;
    const rules = async (agent: Agent<string, string>) => rulesOf([await journalOf(agent, 'Settle it.')]);

    it('is found although the run goes on with something else [R17-TRACE]', async () => {
      expect(await rules(paid(async (run) => (await run.ask(answers(), 'Say hello.')).text))).toEqual(['A10']);
      expect(await rules(paid(async (run) => String((await run.call(look, { key: 'aaaa' })).ok)))).toEqual(['A10']);
      const child: Agent<string, string> = async (_run, input) => done(input);
      expect(
        await rules(
          paid(async (run) => {
            await run.spawn(child, 'something else', { modelCalls: 1 });
            return 'ok';
          }),
        ),
      ).toEqual(['A10']);
    });

    it('is found although a loop goes on and writes its own notes [R17-TRACE]', async () => {
      const worker = [call('aaaa'), call('bbbb'), 'All is well.'];
      const looping = paid(async (run) => {
        const ended = await looker(worker)(run, 'Look.');
        return ended.stop === 'done' ? String(ended.value) : '';
      });
      expect(await rules(looping)).toEqual(['A10']);
    });

    it('is none where the answer, a request, a note or a child says so, and where it is tried again [R17-TRACE]', async () => {
      expect(await rules(paid(async (_run, failure) => `Not paid: ${failure}`))).toEqual([]);
      expect(await rules(paid(async (run, failure) => (await run.ask(answers(), failure)).text))).toEqual([]);
      const noted = paid(async (run) => {
        run.note({ kind: 'unpaid', cents: 5 });
        return 'ok';
      });
      expect(await rules(noted)).toEqual([]);
      const child: Agent<string, string> = async (_run, input) => done(input);
      const handed = paid(async (run, failure) => {
        await run.spawn(child, failure, { modelCalls: 1 });
        return 'ok';
      });
      expect(await rules(handed)).toEqual([]);
    });

    it('is found where it is that of a child, and none where the child said it [R17-TRACE]', async () => {
      const child: Agent<string, string> = async () => {
        throw new Error('the bank refused');
      };
      const parent =
        (value: (why: string) => string): Agent<string, string> =>
        async (run) => {
          const outcome = await run.spawn(child, 'pay', { modelCalls: 1 });
          return done(value(outcome.stop === 'failed' ? outcome.failure.message : ''));
        };
      expect(await rules(parent(() => 'All is well.'))).toEqual(['A10']);
      expect(await rules(parent((why) => `Not paid: ${why}`))).toEqual([]);
    });
  });

  it('show prompts that only grow past the given share of the window [R17-TRACE]', async () => {
    const keys = Array.from({ length: 7 }, (_none, n) => `value-of-${'x'.repeat(n * 40)}`);
    const journal = await journalOf(looker([...keys.map(call), 'done']), 'Follow them.');
    expect(rulesOf([journal], { window: 1_000 })).toContain('A7');
    expect(rulesOf([journal], { window: 1_000_000 })).not.toContain('A7');
    expect(rulesOf([journal])).not.toContain('A7'); // nobody said how large the window is
  });

  it('show an identity that changed although nobody signed it [R17-TRACE]', async () => {
    const identified =
      (hash: string, by?: string): Agent<string, string> =>
      async (run, input) => {
        if (by !== undefined) run.note({ kind: 'identity-commit', by });
        run.note({ kind: 'identity', hash });
        return done(await run.step('answer', input, () => input, 'pure'));
      };
    const first = await journalOf(identified('one'), 'x');
    expect(rulesOf([first, await journalOf(identified('one'), 'x')])).toEqual([]);
    expect(rulesOf([first, await journalOf(identified('two'), 'x')])).toEqual(['HA3']);
    expect(rulesOf([first, await journalOf(identified('two', 'mara'), 'x')])).toEqual([]);
  });

  it('show entries of a track record that are more than a year old [R17-TRACE]', async () => {
    const loading =
      (days: number): Agent<string, string> =>
      async (run, input) => {
        const now = run.now();
        run.note({ kind: 'track-record', entries: [{ capability: 'sums', lastSeen: now - days * 86_400_000 }] });
        return done(await run.step('answer', input, () => input, 'pure'));
      };
    expect(rulesOf([await journalOf(loading(366), 'x')])).toEqual(['HA5']);
    expect(rulesOf([await journalOf(loading(364), 'x')])).toEqual([]);
  });

  it('show a worker that reads what its parent read, and not one that has it in its brief [R17-TRACE]', async () => {
    const found = 'The minutes of the meeting say that the pier is closed until May.';
    const model = scriptedModel({ parent: () => found, worker: () => 'ok' });
    const parent =
      (brief: (text: string) => string, told: (text: string) => string): Agent<string, string> =>
      async (run, input) => {
        const { text } = await run.ask(session(model, 'parent'), input);
        const worker: Agent<string, string> = async (inside, task) =>
          done((await inside.ask(session(model, 'worker'), `${task}\n${told(text)}`)).text);
        return run.spawn(worker, brief(text), { modelCalls: 1 });
      };
    const briefed = await journalOf(
      parent(
        (text) => `Check: ${text}`,
        () => '',
      ),
      'Look.',
    );
    const leaked = await journalOf(
      parent(
        () => 'Check the pier.',
        (text) => text,
      ),
      'Look.',
    );
    expect([briefed.prompts?.size, leaked.prompts?.size]).toEqual([2, 2]);
    expect(rulesOf([briefed])).toEqual([]);
    expect(rulesOf([leaked])).toEqual(['CE5']);
    const { prompts: _left, ...without } = leaked;
    expect(rulesOf([without])).toEqual([]); // entries alone do not say what was asked
  });

  it('show a memory in the prompt of every run that none of them used [R17-TRACE]', async () => {
    const memory = 'The customer likes marzipan very much';
    const remembering =
      (reply: string): Agent<string, string> =>
      async (run, input) => {
        const recalled = append(undefined, {
          role: 'user',
          content: memory,
          band: 'stable',
          owner: 'memory',
          trust: 'model',
        });
        const asked = append(recalled, { role: 'user', content: input, band: 'log', owner: 'user', trust: 'user' });
        return done((await run.ask(session(scriptedModel({ q: () => reply }), 'q'), asked)).text);
      };
    const three = (reply: string) =>
      Promise.all(Array.from({ length: 3 }, () => journalOf(remembering(reply), 'Hello')));
    expect(rulesOf(await three('Good morning.'), { runs: 3 })).toEqual(['CE8']);
    expect(rulesOf(await three('Good morning.'), { runs: 4 })).toEqual([]);
    expect(rulesOf(await three('We have marzipan today'), { runs: 3 })).toEqual([]);
  });

  it('show calls outside every pattern of an agent that says it is made of patterns [R17-TRACE]', async () => {
    const model = scriptedModel({ q: () => '18' });
    const inner = zeroShot(session(model, 'q'));
    const around: Agent<string, string> = async (run, input) => {
      await run.ask(session(model, 'q'), 'beside');
      return inner(run, input) as Promise<Outcome<string>>;
    };
    const journal = await journalOf(around, 'How many?');
    const claimed = described(around, useOf(inner) as Use);
    const found = lintJournals([journal], { agents: { agent: claimed } });
    expect(found.map(({ rule, level }) => [rule, level])).toEqual([['A15', 'warning']]);
    expect(lintJournals([await journalOf(inner, 'How many?')], { agents: { agent: inner } })).toEqual([]);
    expect(lintJournals([journal], { agents: { agent: async () => done('') } })).toEqual([]); // says nothing of itself
  });
});

describe('predictions without a known most', () => {
  it('are shown as at least so many, and never as a huge number', async () => {
    const model = scriptedModel({ q: () => '18' });
    const parts = { test: () => ({ ok: true }) as const, critic: session(model, 'critic') };
    const agent = reflexion(selfConsistency(zeroShot(session(model, 'q')), {}, { samples: 5 }), parts);
    const { run, entries, spans } = await journalOf(agent, 'How many?');
    const [begun] = timelineOf(entries).filter(({ text }) => text.startsWith('reflexion begins'));
    expect(begun?.text).toBe('reflexion begins, at least 5 model calls predicted');
    const traced = JSON.stringify(traceOf(run, entries));
    expect(traced).toContain('"flyball.pattern.predicted.min":5');
    expect(traced).not.toContain(String(Number.MAX_SAFE_INTEGER));
    const short = spans.map((span) => (span.pattern === 'reflexion' ? { ...span, modelCalls: 4 } : span));
    expect(lintJournals([{ run, entries, spans: short }])).toContainEqual(
      expect.objectContaining({ why: 'It made 4 model calls, and at least 5 were predicted.' }),
    );
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
