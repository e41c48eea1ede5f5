import { done, type Model, type Outcome, type Run, type Session } from 'flyball';
import { scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
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

  it('re-asks with what is wrong, a bounded number of times, each time as a call of its own [R2-RUN-REASK]', async () => {
    const stage = moving();
    const model = scriptedModel({ judge: ['no idea', '{"score": "high"}', '{"score": 3}'] });
    const outcome = await stage
      .open(async (run: Run) => done((await run.ask(judge(model), 'rate it')).value.score))
      .start();
    expect(outcome).toMatchObject({ value: 3, usage: { modelCalls: 3 } });
    expect(model.promptAt('judge', 2)).toMatch(/no idea[\s\S]*not accepted[\s\S]*The problem: It is not JSON/);
    expect(model.promptAt('judge', 3)).toContain('score');
    expect((await stage.events('ask-start')).map(({ id }) => id)).toEqual(['#0', '#1', '#2']);
    const read = eventsOf(await stage.entries(), 'ask-end').map(({ reply }) => reply?.problem !== undefined);
    expect(read).toEqual([true, true, false]);
    const refused = (await stage.events('note')).map(({ event }) => event);
    expect(refused).toMatchObject([
      { kind: 'reply-refused', session: 'judge', code: 'REPLY_INVALID', tries: 1 },
      { kind: 'reply-refused', session: 'judge', code: 'REPLY_INVALID', tries: 2 },
    ]);
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
      value: ['REPLY_INVALID', expect.stringContaining('no usable reply after 2 replies')],
      usage: { modelCalls: 2 },
    });
    model.assertFinished();
  });

  it('reserves each call by itself, so that what is left decides whether it is asked again [R2-RUN-REASK] [R2-BUDGET-RESERVE]', async () => {
    const stage = moving();
    const model = scriptedModel({ judge: (_request, n) => `no ${n}` });
    const agent = async (run: Run): Promise<Outcome<unknown>> =>
      done((await run.ask(judge(model), 'rate it')).value.score);
    expect(await stage.open(agent).start(null, { modelCalls: 2 })).toMatchObject({
      stop: 'bounded',
      bound: 'modelCalls',
      usage: { modelCalls: 2 },
    });
    expect((await stage.events('ask-start')).map(({ reserved }) => reserved)).toMatchObject([
      { modelCalls: 1, tokensOut: 50 },
      { modelCalls: 1, tokensOut: 50 },
    ]);
  });

  it('asks for an answer in text when a tool is called and there is none', async () => {
    const call = { toolCalls: [{ id: '1', name: 'look', arguments: '{}' }] };
    const model = scriptedModel({ judge: [call, '{"score": 2}'] });
    const agent = async (run: Run): Promise<Outcome<unknown>> =>
      done((await run.ask(judge(model), 'rate it')).value.score);
    expect(await moving().open(agent).start()).toMatchObject({ stop: 'done', value: 2 });
    const said = model.requests[1]?.messages.slice(-2);
    expect(said).toMatchObject([{ role: 'tool', toolCallId: '1' }, { role: 'user' }]);
    expect(said?.[1]?.content).toContain('There are no tools: answer in text.');
  });

  it('takes proposed tool calls instead of a value where it has tools', async () => {
    const model = scriptedModel({ judge: { toolCalls: [{ id: '1', name: 'look', arguments: '{}' }] } });
    const outcome = await moving()
      .open(async (run: Run) => {
        const look = tool({
          name: 'look',
          description: 'Looks.',
          input: z.object({}),
          effect: 'pure',
          execute: async () => null,
        });
        const reply = await run.ask({ ...judge(model), tools: [look] }, 'rate it');
        return done([reply.toolCalls.length, reply.value === undefined || reply.value === null]);
      })
      .start();
    expect(outcome).toMatchObject({ stop: 'done', value: [1, true] });
  });
});
