import { done, type Model, type Outcome, type Run, type Session } from 'flyball';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { eventsOf, moving, RUN } from './stage.js';

describe('a session with an output schema', () => {
  const schema = z.object({ score: z.number(), note: z.string().default('none') });
  const judge = (model: Model, maxReasks?: number): Session<{ score: number; note: string }> => ({
    name: 'judge',
    model,
    setup: 'Judge. Reply with JSON.',
    output: schema as never,
    sampling: { maxOutputTokens: 50 },
    ...(maxReasks === undefined ? {} : { maxReasks }),
  });

  it('returns the parsed value, live and on replay alike [R2-RUN-REASK]', async () => {
    const stage = moving();
    const model = scriptedModel({ judge: '{"score": 7}' });
    const values: unknown[] = [];
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      values.push((await run.ask(judge(model), 'rate it')).value);
      await run.wait({ name: 'go' });
      return done(null);
    };
    const life = stage.open(agent);
    await life.start();
    life.die();
    const second = stage.open(agent);
    await second.runtime.signal(RUN, 'go');
    await second.resume();
    expect(values).toEqual([
      { score: 7, note: 'none' },
      { score: 7, note: 'none' },
    ]);
    expect(model.requests[0]?.output).toMatchObject({ type: 'object' });
  });

  it('re-asks with what is wrong, a bounded number of times, as one effect [R2-RUN-REASK]', async () => {
    const stage = moving();
    const model = scriptedModel({ judge: ['no idea', '{"score": "high"}', '{"score": 3}'] });
    const outcome = await stage
      .open(async (run: Run) => done((await run.ask(judge(model), 'rate it')).value.score))
      .start();
    expect(outcome).toMatchObject({ value: 3, usage: { modelCalls: 3 } });
    expect(model.promptAt('judge', 2)).toMatch(/no idea[\s\S]*not fit the required format: It is not JSON/);
    expect(model.promptAt('judge', 3)).toContain('score');
    expect(await stage.events('ask-start')).toHaveLength(1);
    expect(eventsOf(await stage.entries(), 'ask-end')).toMatchObject([{ reply: { calls: 3 } }]);
    expect((await stage.events('guard-refused')).map(({ id }) => id)).toEqual(['#0!reask1', '#0!reask2']);
  });

  it('gives up with REPLY_INVALID after the last re-ask [R2-RUN-REASK]', async () => {
    const model = scriptedModel({ judge: ['a', 'b'] });
    const outcome = await moving()
      .open(async (run: Run) =>
        done(
          await run
            .ask(judge(model, 1), 'rate it')
            .catch((error: { readonly code: string; readonly message: string }) => [error.code, error.message]),
        ),
      )
      .start();
    expect(outcome).toMatchObject({
      value: ['REPLY_INVALID', expect.stringContaining('After 2 calls')],
      usage: { modelCalls: 2 },
    });
    model.assertFinished();
  });

  it('reserves the worst case of all re-asks before the first call [R2-RUN-REASK] [R2-BUDGET-RESERVE]', async () => {
    const stage = moving();
    const model = scriptedModel({ judge: '{"score": 1}' });
    const agent =
      (maxReasks: number) =>
      async (run: Run): Promise<Outcome<unknown>> =>
        done((await run.ask(judge(model, maxReasks), 'rate it')).value.score);
    expect(await stage.open(agent(3)).start(null, { modelCalls: 3 })).toMatchObject({
      stop: 'bounded',
      bound: 'modelCalls',
    });
    expect(model.requests).toHaveLength(0);
    const roomy = moving();
    expect(await roomy.open(agent(2)).start(null, { modelCalls: 3, tokensOut: 150 })).toMatchObject({
      stop: 'done',
      usage: { modelCalls: 1 },
    });
    const [start] = await roomy.events('ask-start');
    expect(start?.reserved).toMatchObject({ modelCalls: 3, tokensOut: 150 });
  });

  it('takes proposed tool calls instead of a value', async () => {
    const model = scriptedModel({ judge: { toolCalls: [{ id: '1', name: 'look', arguments: '{}' }] } });
    const outcome = await moving()
      .open(async (run: Run) => {
        const reply = await run.ask(judge(model), 'rate it');
        return done([reply.toolCalls.length, reply.value === undefined || reply.value === null]);
      })
      .start();
    expect(outcome).toMatchObject({ stop: 'done', value: [1, true] });
  });
});
