import { type Agent, createRuntime, done, memoryEngine } from 'flyball';
import { type Test, untilApproved } from 'flyball/patterns';
import { assertSame, exercise, type Scenario, scriptedModel } from 'flyball/testing';
import { describe, it } from 'vitest';
import { session } from '../../../../test/patterns/bed.js';

describe('untilApproved', () => {
  it('ends the same after a crash at every write, with drafts that act [O5.crash]', async () => {
    const scenario: Scenario = {
      name: 'untilApproved',
      open: (life, outside) => {
        const model = outside.keep('model', () =>
          scriptedModel({
            writer: (request) => (JSON.stringify(request).includes('too short') ? 'a longer draft' : 'short'),
            judge: (request) => (JSON.stringify(request).includes('longer') ? 'APPROVED' : 'too short'),
          }),
        );
        const drafter = session(model, 'writer');
        const judge = session(model, 'judge');
        const acting: Agent<string, string> = async (run, task) => {
          const { text } = await run.ask(drafter, task);
          await run.step('save', text, (_, how) => outside.act(`save ${text}`, how), 'idempotent');
          return done(text);
        };
        const test: Test<string, string> = async (run, value) => {
          const { text } = await run.ask(judge, value);
          return text === 'APPROVED' ? { ok: true } : { ok: false, because: text };
        };
        const agent = untilApproved(acting, { test });
        return createRuntime({ ...life, agents: { agent: agent as Agent<unknown, unknown> } });
      },
      input: 'Write.',
      ends: { stop: 'done', says: ['a longer draft'] },
    };
    assertSame(await exercise(scenario, { engine: memoryEngine }));
  });
});
