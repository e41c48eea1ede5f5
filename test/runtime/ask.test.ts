import { done, FlyballError, type Model, type Outcome, type Run, type Seams, type Session, type Tool } from 'flyball';
import { scriptedModel, turns } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { gate, moving, RUN, still } from './stage.js';

const talker = (model: Model, more: Partial<Session> = {}): Session => ({
  name: 'talker',
  model,
  setup: 'Be brief.',
  ...more,
});

describe('ask', () => {
  it('makes one journaled model call and is answered from the journal afterwards [R2-RUN-ASK]', async () => {
    const stage = moving();
    const model = {
      ...scriptedModel({ talker: { text: 'hello', usage: { input: 100, output: 50 }, reasoning: 'they greeted' } }),
      price: { input: 1, output: 2 },
    };
    const replies: unknown[] = [];
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const { prompt, ...reply } = await run.ask(talker(model), 'hi');
      replies.push({ ...reply, tip: prompt.id });
      await run.wait({ name: 'go' });
      return done(reply.text);
    };
    const life = stage.open(agent);
    await life.start();
    life.die();
    const second = stage.open(agent);
    await second.runtime.signal(RUN, 'go');
    expect(await second.resume()).toMatchObject({
      value: 'hello',
      usage: { modelCalls: 1, tokensIn: 100, tokensOut: 50, costUsd: 0.0002 },
    });
    expect(replies[0]).toMatchObject({
      text: 'hello',
      value: 'hello',
      finish: 'stop',
      toolCalls: [],
      usage: { input: 100, output: 50 },
      costUsd: 0.0002,
      reasoning: 'they greeted',
    });
    expect(replies[1]).toEqual(replies[0]);
    model.assertFinished();
    expect(await stage.events('ask-start')).toMatchObject([
      {
        id: '#0',
        session: 'talker',
        model: 'scripted/model',
        attempt: 1,
        reserved: { modelCalls: 1, tokensIn: 100, tokensOut: 1000 },
      },
    ]);
  });

  it('writes its reservation durably before anything is sent [R2-RUN-ASK] [R2-BUDGET-RESERVE]', async () => {
    const stage = moving();
    const seen: string[][] = [];
    const model = scriptedModel({
      talker: async () => {
        seen.push((await stage.entries()).map(({ event }) => event.type));
        return 'ok';
      },
    });
    await stage.open(async (run: Run) => done((await run.ask(talker(model), 'hi')).text)).start();
    expect(seen[0]?.at(-1)).toBe('ask-start');
  });

  it('hands the code a failure it can act on, and the call can be made again under its own identity [R2-FAILURE-MODEL]', async () => {
    const stage = moving();
    const model = scriptedModel({
      talker: [Object.assign(new Error('overloaded'), { code: 'E529', retryable: true }), 'better'],
    });
    const outcome = await stage
      .open(
        async (run: Run) => {
          for (let wait = 100; ; wait *= 2) {
            try {
              return done((await run.ask(talker(model), 'hi')).text);
            } catch (error) {
              if ((error as { retryable: boolean }).retryable !== true) throw error;
              run.note({
                kind: 'retry',
                code: (error as { code: string }).code,
                originalCode: (error as { originalCode: string }).originalCode,
              });
              await run.sleep(wait);
            }
          }
        },
        { options: { suspendAfterMs: 1000 } },
      )
      .start();
    expect(outcome).toMatchObject({ stop: 'done', value: 'better' });
    expect(await stage.events('note')).toMatchObject([{ event: { code: 'MODEL_UNAVAILABLE', originalCode: 'E529' } }]);
  });

  it('is retried and failed over inside a seam under one key [R2-FAILURE-MODEL]', async () => {
    const stage = moving();
    const keys: string[] = [];
    const model = scriptedModel({
      talker: (_request, n, how) => {
        keys.push(how.key);
        return n < 3 ? new Error('overloaded') : 'third time';
      },
    });
    const life = stage.open(async (run: Run) => done((await run.ask(talker(model), 'hi')).text), {
      seams: {
        model: [
          (next) => async (request, ctx) => {
            for (let attempt = 1; ; attempt++) {
              try {
                return await next(request, ctx);
              } catch (error) {
                if (attempt === 3) throw error;
              }
            }
          },
        ],
      },
    });
    expect(await life.start()).toMatchObject({ value: 'third time' });
    expect(keys).toEqual(['run:0:#0', 'run:0:#0', 'run:0:#0']);
    expect(await stage.events('ask-end')).toHaveLength(1);
  });

  it('is given up after its time, and what it may have cost is shown apart [F-K6]', async () => {
    const stage = moving();
    const model = scriptedModel({ talker: () => new Promise(() => {}) });
    const outcome = await stage
      .open(async (run: Run) => {
        const code = await run
          .ask(talker(model, { timeoutMs: 1000 }), 'hi')
          .catch((error: { readonly code: string }) => error.code);
        return done(code);
      })
      .start();
    expect(outcome).toMatchObject({
      value: 'EFFECT_TIMEOUT',
      usage: { modelCalls: 1, tokensOut: 0, possibly: { tokensOut: 1000 } },
    });
  });

  it('refuses a model without a price, because its cost cannot be bounded [R2-COST-TABLE]', async () => {
    const { price: _price, ...model } = scriptedModel({ talker: 'never' });
    const life = moving().open(async (run: Run) => done((await run.ask(talker(model), 'hi')).text));
    expect(await life.start()).toMatchObject({
      stop: 'failed',
      failure: { code: 'CONFIG_INVALID', message: expect.stringContaining("prices: { 'scripted/model'") },
    });
    expect(model.requests).toEqual([]);
  });

  it('costs what the prices of the runtime say, before what the model says of itself [R2-COST-TABLE]', async () => {
    const script = { talker: { text: 'ok', usage: { input: 1_000_000, output: 0 } } };
    const model = scriptedModel(script, { id: 'own/model', price: { input: 9, output: 0 } });
    const life = moving().open(async (run: Run) => done((await run.ask(talker(model), 'hi')).costUsd), {
      prices: (modelId) => (modelId === 'own/model' ? { input: 2, output: 0 } : undefined),
    });
    expect(await life.start()).toMatchObject({ value: 2, usage: { costUsd: 2 } });
  });

  it('offers the tools of the session with their schemas, and hands back what the model proposes', async () => {
    const calls = [{ id: 'c1', name: 'read', arguments: '{"path":"a"}' }];
    const model = scriptedModel({ talker: { toolCalls: calls } });
    const tool: Tool<unknown, string> = {
      name: 'read',
      description: 'Reads a file.',
      effect: 'pure',
      input: z.object({ path: z.string() }) as never,
      execute: async () => '',
    };
    const outcome = await moving()
      .open(async (run: Run) => {
        const reply = await run.ask(talker(model, { tools: [tool] }), 'read a');
        return done([reply.toolCalls, reply.finish]);
      })
      .start();
    expect(outcome).toMatchObject({ value: [calls, 'tool_calls'] });
    expect(model.requests[0]?.tools).toMatchObject([
      {
        name: 'read',
        description: 'Reads a file.',
        input: { type: 'object', properties: { path: { type: 'string' } } },
      },
    ]);
  });

  it('streams pieces with effect and attempt to whoever listens, and journals none of them', async () => {
    const stage = moving();
    const pieces: unknown[] = [];
    const model = scriptedModel({ talker: 'one two three' });
    const life = stage.open(async (run: Run) => done((await run.ask(talker(model), 'hi')).text));
    life.runtime.subscribeDeltas((runId, effect, attempt, delta) =>
      pieces.push([runId, effect, attempt, 'text' in delta ? delta.text : '']),
    );
    await life.start();
    expect(pieces.length).toBeGreaterThan(0);
    expect(pieces.map((piece) => (piece as string[])[3]).join('')).toBe('one two three');
    expect(pieces[0]).toEqual([RUN, '#0', 1, 'one ']);
    expect((await stage.entries()).map(({ event }) => event.type)).toEqual([
      'run-start',
      'attempt-start',
      'ask-start',
      'ask-end',
      'run-end',
    ]);
  });
});

describe('a model call in flight', () => {
  it('is aborted by a cancellation, and what it may have cost is shown apart [F-K6]', async () => {
    const stage = still();
    const held = gate<string>();
    const model = scriptedModel({ talker: () => held.opened });
    const life = stage.open(async (run: Run) => done((await run.ask(talker(model), 'hi')).text));
    const ended = life.start();
    await model.reached('talker');
    await life.runtime.cancel(RUN);
    await turns();
    expect(await ended).toMatchObject({
      stop: 'cancelled',
      usage: { modelCalls: 0, possibly: { modelCalls: 1, tokensOut: 1000 } },
    });
  });
});

describe('a failure that may have been paid for', () => {
  it('costs its worst case, also where no router adds it up [R3-ROUTER-BUDGET]', async () => {
    const broken = new FlyballError('MODEL_UNAVAILABLE', 'cut off', { retryable: true, detail: { mayHaveCost: true } });
    const model = scriptedModel({ talker: [broken] }, { price: { input: 1, output: 1_000_000 } });
    const life = moving().open(async (run: Run) => {
      await run
        .ask({ name: 'talker', model, setup: 'Talk.', sampling: { maxOutputTokens: 7 } }, 'hi')
        .catch(() => undefined);
      return done(null);
    });
    expect(await life.start(null, { costUsd: 100 })).toMatchObject({
      usage: { tokensOut: 7, costUsd: expect.closeTo(7, 3) },
    });
  });
});

describe('tools that a seam takes away', () => {
  it('are named in the reply by what was left, so that a loop can hold the model to it [R3-TOOL-TOOLSET]', async () => {
    const read: Tool = { name: 'read', description: 'Reads.', effect: 'pure', execute: async () => '' };
    const model = scriptedModel({ talker: ['ok', 'ok'] });
    const session: Session = { name: 'talker', model, setup: 'Talk.', tools: [read, { ...read, name: 'erase' }] };
    const seams: Seams = { 'tools.load': [() => async (tools) => tools.filter(({ name }) => name === 'read')] };
    const ask = async (run: Run) => done((await run.ask(session, 'hi')).offered ?? null);
    expect(await moving().open(ask, { seams }).start()).toMatchObject({ value: ['read'] });
    expect(await moving().open(ask).start()).toMatchObject({ value: null });
  });
});
