import { type Agent, createRuntime, done, memoryEngine } from 'flyball';
import { reflexion, type Test } from 'flyball/patterns';
import { assertSame, exercise, type Scenario, scriptedModel } from 'flyball/testing';
import { describe, it } from 'vitest';
import { session } from '../../../../test/patterns/bed.js';

const isGood: Test<string, string> = (_run, value) =>
  value === 'good' ? { ok: true } : { ok: false, because: 'it is not good' };

describe('reflexion', () => {
  it('ends the same after a crash at every write, with attempts that act [R7.crash]', async () => {
    const scenario: Scenario = {
      name: 'reflexion',
      open: (life, outside) => {
        const model = outside.keep('model', () =>
          scriptedModel({
            critic: () => 'Say good.',
            writer: (request) => (JSON.stringify(request).includes('Say good.') ? 'good' : 'bad'),
          }),
        );
        const drafter = session(model, 'writer');
        const acting: Agent<string, string> = async (run, task) => {
          const { text } = await run.ask(drafter, task);
          await run.step('save', text, (_, how) => outside.act(`save ${text}`, how), 'idempotent');
          return done(text);
        };
        const agent = reflexion(acting, { test: isGood, critic: session(model, 'critic') });
        return createRuntime({ ...life, agents: { agent: agent as Agent<unknown, unknown> } });
      },
      input: 'Write.',
      ends: { stop: 'done', says: ['good'] },
    };
    assertSame(await exercise(scenario, { engine: memoryEngine }));
  });
});
