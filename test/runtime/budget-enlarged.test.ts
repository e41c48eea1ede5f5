import { done, type Outcome, type Run, type Session, type Tool } from 'flyball';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { moving } from './stage.js';

describe('a bounded run', () => {
  it('resumes under a larger budget and repeats nothing [R2-RESUME-BUDGET] [R2-FAILURE-EXHAUSTION]', async () => {
    const stage = moving();
    const model = scriptedModel({ talker: ['one', 'two', 'three'] });
    const session: Session = { name: 'talker', model, setup: 'Talk.' };
    const executed: number[] = [];
    const tool: Tool<number, number> = {
      name: 'act',
      description: 'Acts.',
      effect: 'idempotent',
      execute: async (n) => {
        executed.push(n);
        return n;
      },
    };
    const life = stage.open(async (run: Run): Promise<Outcome<unknown>> => {
      const said: string[] = [];
      for (let n = 0; n < 3; n++) {
        said.push((await run.ask(session, `turn ${n}`)).text);
        await run.call(tool, n);
      }
      return done(said);
    });
    expect(await life.start(null, { toolCalls: 1 })).toMatchObject({ stop: 'bounded', bound: 'toolCalls', limit: 1 });
    expect((await life.runtime.get('run')).status).toBe('bounded');
    expect(await life.resume({ budget: { toolCalls: 2 }, by: 'ada' })).toMatchObject({
      stop: 'bounded',
      bound: 'toolCalls',
      limit: 2,
    });
    expect(await life.resume({ budget: { toolCalls: 9 } })).toMatchObject({
      stop: 'done',
      value: ['one', 'two', 'three'],
      usage: { toolCalls: 3, modelCalls: 3 },
    });
    expect(executed).toEqual([0, 1, 2]);
    model.assertFinished();
    expect(await stage.events('run-resume')).toMatchObject([
      { by: 'ada', budget: { toolCalls: 2 } },
      { budget: { toolCalls: 9 } },
    ]);
  });

  it('goes on after its time was used up [R2-FAILURE-TIMEOUT] [R2-RESUME-BUDGET]', async () => {
    const stage = moving();
    let tries = 0;
    const life = stage.open(async (run: Run): Promise<Outcome<unknown>> => {
      const value = await run.step(
        'slow',
        null,
        (_input, { signal }) => {
          tries++;
          return tries > 1
            ? 'answer'
            : new Promise<string>((_resolve, reject) =>
                signal.addEventListener('abort', () => reject(signal.reason as Error)),
              );
        },
        'pure',
      );
      return done(value);
    });
    expect(await life.start(null, { wallMs: 1000 })).toMatchObject({ stop: 'bounded', bound: 'wallMs' });
    expect(await life.resume({ budget: { wallMs: 5000 } })).toMatchObject({ stop: 'done', value: 'answer' });
    expect(tries).toBe(2);
  });

  it('keeps the value it had so far', async () => {
    const stage = moving();
    const life = stage.open(async (run: Run): Promise<Outcome<unknown>> => {
      const found: number[] = [];
      try {
        for (;;) {
          run.budget.take('iterations');
          found.push(found.length);
        }
      } catch {
        return done(found);
      }
    });
    expect(await life.start(null, { iterations: 2 })).toMatchObject({
      stop: 'bounded',
      bound: 'iterations',
      partial: [0, 1],
    });
  });

  it('may say that it degraded, but not that it is done', async () => {
    const stage = moving();
    const life = stage.open(async (run: Run): Promise<Outcome<unknown>> => {
      try {
        for (;;) run.budget.take('iterations');
      } catch {
        return { stop: 'degraded', value: 'half', because: 'out of rounds' };
      }
    });
    expect(await life.start(null, { iterations: 1 })).toMatchObject({ stop: 'degraded', value: 'half' });
  });

  const loop = async (run: Run): Promise<Outcome<unknown>> => {
    for (;;) run.budget.take('iterations');
  };

  it('refuses to go on without a larger budget, and says which axis needs more [R2-RESUME-BUDGET]', async () => {
    const stage = moving();
    const life = stage.open(loop);
    await life.start(null, { iterations: 3 });
    await expect(life.resume()).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/larger budget.*iterations/),
    });
    await expect(life.resume({ budget: { iterations: 3 } })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/stopped at iterations = 3/),
    });
    await expect(life.resume({ budget: { modelCalls: 99 } })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/Raise that limit/),
    });
    expect((await life.runtime.get('run')).status).toBe('bounded'); // nothing was lost by asking
    expect(await life.resume({ budget: { iterations: 5 } })).toMatchObject({ stop: 'bounded', limit: 5 });
  });

  it('goes on under a larger depth where a child was refused before, although effects came after it', async () => {
    const stage = moving();
    const child = async (): Promise<Outcome<string>> => done('from below');
    const life = stage.open(async (run: Run): Promise<Outcome<unknown>> => {
      const outcome = await run.spawn(child, null, { share: 0.5 });
      await run.step('after', null, () => 'x', 'idempotent');
      return outcome;
    });
    expect(await life.start(null, { depth: 0 })).toMatchObject({ stop: 'bounded', bound: 'depth' });
    // what was decided stays decided: the child was refused in this run, and a replay must not ask again
    expect(await life.resume({ budget: { depth: 3 } })).toMatchObject({ stop: 'bounded', bound: 'depth' });
  });
});
