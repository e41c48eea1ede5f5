import { type Agent, done, type Tool } from 'flyball';
import {
  accumulateSkills,
  checkpointOf,
  guardrails,
  injectionShield,
  tool,
  toolBudgetSeam,
  traceOf,
  useOf,
} from 'flyball/patterns';
import { cardNumbersGuard, type InputGuard, secretsGuard } from 'flyball/tools';
import { describe, expect, it } from 'vitest';
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

it('the detectors of the shield are code: nobody is asked who could be talked round [V6.8]', () => {
  expect(useOf(injectionShield({ secret }))).toMatchObject({ parts: {}, predicted: { min: 0, max: 0 } });
});
