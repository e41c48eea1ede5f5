import { type Agent, done, memoryEngine, type Seams, type Tool } from 'flyball';
import {
  accumulateSkills,
  checkpointOf,
  guardrails,
  injectionShield,
  reAct,
  tool,
  toolBudgetSeam,
  traceOf,
  useOf,
} from 'flyball/patterns';
import { cardNumbersGuard, type InputGuard, joinSeams, type PreCallGuard, secretsGuard } from 'flyball/tools';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { moving } from '../../../../../test/runtime/stage.js';
import { scriptedModel } from '../../testing/index.js';

const secret = 'a secret of this deployment';
const slots = { input: [cardNumbersGuard('input')], response: [secretsGuard('response')] };

describe('what is a pattern by itself', () => {
  it.each([
    ['V5', 'guardrails', guardrails(slots)],
    ['V6', 'injectionShield', injectionShield({ secret })],
    ['V6', 'injectionShield', injectionShield({ secret, canaries: ['canary-51f0c2-heron'] })],
    ['V10', 'checkpointOf', checkpointOf('run', [])],
    ['V13', 'toolBudgetSeam', toolBudgetSeam({ window: 100_000 })],
    ['V14', 'traceOf', traceOf('run', [])],
    [
      'I2',
      'tool',
      tool({
        name: 'add',
        description: 'Adds. Not for text.',
        input: z.object({}),
        effect: 'pure',
        execute: async () => 1,
      }),
    ],
    [
      'H4',
      'accumulateSkills',
      accumulateSkills({ shelf: {} as never, session: { name: 'd', model: scriptedModel({}) } }),
    ],
  ])('%s says so in what %s returns, and is otherwise what it was [R11-PATTERN-KEPT]', (id, name, value) => {
    expect(useOf(value)).toMatchObject({ id, name });
    expect(Object.keys(useOf({ ...value }) ?? {})).toEqual([]); // a copy is another thing
  });

  it('guardrails name the guards at each crossing', () => {
    expect(useOf(guardrails(slots))?.params).toEqual({
      input: ['card-numbers'],
      preCall: [],
      response: ['secrets'],
      output: [],
      record: 'refusals',
    });
  });
});

describe('guardrails', () => {
  it('show a guard at the input the input, and who asks, and nothing else [V5.1]', async () => {
    const seen: unknown[] = [];
    const guard: InputGuard = {
      name: 'look',
      at: 'input',
      check: (...given: readonly unknown[]) => {
        seen.push(given[0], Object.keys(given[1] as object).sort());
        return { verdict: 'pass', ruleId: 'r', evidence: '' };
      },
    };
    const stage = moving();
    const agent: Agent<unknown, null> = async () => done(null);
    await stage.open(agent as never, { seams: guardrails({ input: [guard] }) }).start({ task: 'x' });
    expect(seen).toEqual([{ task: 'x' }, ['at', 'runId', 'subject', 'tenant']]);
  });

  it('screen what every tool says, those of the house too [V5.3]', async () => {
    const key = `ghp_${'x'.repeat(36)}`;
    const inner: Tool<null, string> = {
      name: 'inner',
      description: 'Our own.',
      effect: 'pure',
      execute: async () => key,
    };
    const asking: Tool<null, string> = { ...inner, name: 'outer', effect: 'idempotent' };
    const agent: Agent<unknown, unknown> = async (run) =>
      done([(await run.call(inner, null)).content, (await run.call(asking, null)).content]);
    const stage = moving();
    const outcome = await stage.open(agent as never, { seams: guardrails(slots) }).start();
    expect(outcome).toMatchObject({ value: [expect.stringContaining('removed'), expect.stringContaining('removed')] });
    expect(JSON.stringify(await stage.entries())).not.toContain(key);
  });
});

describe('what guards let pass', () => {
  const look: Tool<{ what: string }, string> = {
    name: 'look',
    description: 'Looks. Not for touching.',
    effect: 'pure',
    execute: async ({ what }) => `saw ${what}`,
  };
  const looking: Agent<string, string> = async (run, what) => done((await run.call(look, { what })).content);
  const decided = async (seams: ReturnType<typeof guardrails>) => {
    const stage = moving();
    expect(await stage.open(looking as never, { seams }).start('a cat')).toMatchObject({ stop: 'done' });
    return stage.events('guard-decision');
  };
  const judging = (name: string, verdict: 'allow' | 'deny', evidence: string): PreCallGuard => ({
    name,
    at: 'preCall',
    check: () => ({ verdict, ruleId: `${name}.rule`, evidence }),
  });
  const preCall = [judging('size', 'allow', '5 characters')];
  const all = { ...slots, preCall, output: [cardNumbersGuard('output')] };

  it('is in the journal with rule, evidence and the name of the guards, where it is asked for [V5.6] [V5.7]', async () => {
    const told = await decided(guardrails(all, { policy: 'house-guards@7', record: 'all' }));
    expect(told.map(({ guard, verdict }) => `${guard} ${verdict}`).sort()).toEqual([
      'card-numbers allowed',
      'card-numbers allowed',
      'secrets allowed',
      'size allowed',
    ]);
    expect(told.find(({ guard }) => guard === 'size')).toMatchObject({ rule: 'size.rule', why: '5 characters' });
    expect(new Set(told.map(({ policy }) => policy))).toEqual(new Set(['house-guards@7']));
  });

  it('is left out otherwise, and a refusal always names the guards that it came from [V5.6] [V5.7]', async () => {
    expect(await decided(guardrails(all, { policy: 'house-guards@7' }))).toEqual([]);
    const refusing = [judging('never', 'deny', 'not today')];
    expect(await decided(guardrails({ preCall: refusing }, { policy: 'house-guards@7' }))).toMatchObject([
      { guard: 'never', verdict: 'denied', rule: 'never.rule', why: 'not today', policy: 'house-guards@7' },
    ]);
  });

  it('is in the journal for text from outside too, with its score, where it is asked for [V6.4]', async () => {
    expect(await decided(injectionShield({ secret }))).toEqual([]);
    expect(await decided(injectionShield({ secret, record: 'all' }))).toMatchObject([
      { guard: 'injection-shield', verdict: 'allowed', why: 'Passed: the tool look scores 0.00.' },
    ]);
  });

  it('never includes a call of a tool that was not loaded for the turn, whatever a page says [V6.6]', async () => {
    const mailed: unknown[] = [];
    const mail: Tool<{ to: string }, string> = {
      name: 'mail',
      description: 'Sends a mail. Not for drafts.',
      effect: 'idempotent',
      execute: async (args) => {
        mailed.push(args);
        return 'sent';
      },
    };
    const call = (name: string, args: object) => ({ toolCalls: [{ id: name, name, arguments: JSON.stringify(args) }] });
    const model = scriptedModel({ reader: [call('look', { what: 'x' }), call('mail', { to: 'eve' }), 'Done.'] });
    const reader = reAct({ worker: { name: 'reader', model, setup: '' }, tools: [look, mail] as never });
    const readOnly: Seams = {
      'tools.load': [(next) => async (tools, ctx) => (await next(tools, ctx)).filter(({ name }) => name !== 'mail')],
    };
    const stage = moving();
    await stage.open(reader as never, { seams: joinSeams(injectionShield({ secret }), readOnly) }).start('Read.');
    expect(mailed).toEqual([]);
    for (const { tools = [] } of model.requests) expect(tools.map(({ name }) => name)).not.toContain('mail');
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('there is no tool');
  });
});

it('a store in memory is refused in production, unless its loss is accepted [V10.5]', () => {
  const { NODE_ENV } = process.env;
  onTestFinished(() => {
    if (NODE_ENV === undefined) delete process.env['NODE_ENV'];
    else process.env['NODE_ENV'] = NODE_ENV;
  });
  process.env['NODE_ENV'] = 'production';
  expect(() => memoryEngine()).toThrow('Use sqliteEngine({ path })');
  expect(memoryEngine({ acceptLoss: true }).kind).toBe('memory');
  process.env['NODE_ENV'] = 'test';
  expect(memoryEngine().kind).toBe('memory');
});

it('the detectors of the shield are code: nobody is asked who could be talked round [V6.8]', () => {
  expect(useOf(injectionShield({ secret }))).toMatchObject({ parts: {}, predicted: { min: 0, max: 0 } });
});
