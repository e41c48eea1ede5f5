import {
  budget,
  done,
  type Engine,
  FlyballError,
  memoryEngine,
  type Outcome,
  type Run,
  type Seams,
  type StandardSchema,
  type Tool,
} from 'flyball';
import { scriptedModel, turns } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { at, gate, moving, RUN, still } from './stage.js';

describe('a process crash', () => {
  it.each(['ask-start', 'intent', 'complete', 'wait-start', 'wait-end', 'spawn-start', 'run-end'] as const)(
    'at %s: the run resumes where the journal ends [R2-FAILURE-CRASH]',
    async (type) => {
      for (const when of ['before', 'after'] as const) {
        const stage = moving();
        const made: string[] = [];
        const model = scriptedModel({ talker: () => 'ok' });
        const agent = async (run: Run): Promise<Outcome<unknown>> => {
          await run.ask({ name: 'talker', model, setup: 'Talk.' }, 'hi');
          await run.step(
            'act',
            null,
            (_input, { key }) => {
              if (!made.includes(key)) made.push(key); // idempotent in the world: by its key
            },
            'idempotent',
          );
          await run.wait({ name: 'go' });
          return run.spawn(
            async (on: Run) =>
              done(
                await on.step(
                  'inner',
                  null,
                  (_input, { key }) => {
                    if (!made.includes(key)) made.push(key);
                    return 'inner';
                  },
                  'idempotent',
                ),
              ),
            null,
            { share: 0.5 },
          );
        };
        const dying = stage.open(agent, { crash: at(when, type), options: { suspendAfterMs: 1000 } });
        const handle = await dying.runtime.start('agent', null, { id: RUN, budget: budget() });
        await dying.runtime.signal(RUN, 'go', 1, { id: 'the signal' });
        void handle.outcome().catch(() => undefined);
        await dying.crashed;
        dying.die();
        const second = stage.open(agent);
        const record = await second.runtime.get(RUN);
        const outcome = record.status === 'done' ? await second.runtime.handle(RUN).outcome() : await second.resume();
        expect(outcome).toMatchObject({ stop: 'done', value: 'inner' });
        expect(made).toHaveLength(2);
      }
    },
  );

  it('after the end was written, but before it was released, does not run it again [R2-FAILURE-CRASH]', async () => {
    const stage = moving();
    let ran = 0;
    const agent = async (): Promise<Outcome<unknown>> => done(++ran);
    await stage.crashed(agent, (point) => point.op === 'release' && point.when === 'before');
    expect((await stage.engine.get(RUN))?.status).toBe('running');
    expect(await stage.open(agent).resume()).toMatchObject({ stop: 'done', value: 1 });
    expect(ran).toBe(1);
    expect((await stage.engine.get(RUN))?.status).toBe('done');
  });
});

describe('an exhausted resource', () => {
  it('of storage stops the run without loss; it resumes once there is room [R2-FAILURE-EXHAUSTION] [R2-BAD-FULL]', async () => {
    const inner = memoryEngine();
    let full = false;
    const engine: Engine = {
      ...inner,
      append: (claim, batch) =>
        full
          ? Promise.reject(new FlyballError('STORAGE_FULL', 'The disk is full. Make room and resume.'))
          : inner.append(claim, batch),
    };
    const stage = moving(engine);
    const made: string[] = [];
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      for (const name of ['a', 'b', 'c']) {
        await run.step(
          name,
          null,
          () => {
            made.push(name);
            full = made.length === 1;
          },
          'idempotent',
        );
      }
      return done(made);
    };
    const life = stage.open(agent);
    await expect(life.start()).rejects.toMatchObject({
      code: 'STORAGE_FULL',
      message: expect.stringContaining('is stored and stopped here because the disk is full'),
    });
    expect(made).toEqual(['a']); // the INTENT of b did not become durable, so b was not made
    full = false;
    expect(await life.resume()).toMatchObject({ stop: 'done' });
    expect(new Set(made)).toEqual(new Set(['a', 'b', 'c']));
  });
});

describe('a human interrupt', () => {
  it('pauses and keeps the state until somebody resumes [R2-FAILURE-HUMAN]', async () => {
    const stage = still();
    const hold = gate<number>();
    const agent = async (run: Run): Promise<Outcome<unknown>> =>
      done([await run.step('a', null, () => hold.opened, 'pure'), await run.step('b', null, () => 2, 'pure')]);
    const life = stage.open(agent);
    const rested = life.start();
    await turns(10);
    await life.runtime.pause(RUN);
    hold.open(1);
    expect(await rested).toMatchObject({ paused: true });
    life.die();
    expect(await stage.open(agent).resume()).toMatchObject({ stop: 'done', value: [1, 2] });
  });
});

describe('a journal of a newer version', () => {
  it('is refused with a sentence and stays as it is [R2-BAD-NEWER] [R2-CORE-EVENTS]', async () => {
    const stage = moving();
    const body = JSON.stringify({
      type: 'run-start',
      v: 2,
      agent: 'agent',
      version: '1',
      input: null,
      budget: budget(),
      subject: 's',
      tenant: 't',
    });
    await stage.engine.create({
      id: RUN,
      agent: 'agent',
      version: '1',
      tenant: 't',
      subject: 's',
      createdAt: 0,
      first: { entries: [{ generation: 0, seq: 0, at: 0, activeMs: 0, body }] },
    });
    let ran = false;
    const life = stage.open(async () => {
      ran = true;
      return done(1);
    });
    await expect(life.resume()).rejects.toMatchObject({
      code: 'JOURNAL_NEWER',
      message: expect.stringMatching(/format 2.*reads up to 1.*Upgrade flyball/),
    });
    expect(ran).toBe(false);
    expect(await stage.engine.read(RUN, { generation: 0 })).toMatchObject([{ body }]);
  });
});

describe('parts that break', () => {
  it('a schema of a tool that throws lets nothing through, and the run goes on', async () => {
    const schema: StandardSchema = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: () => {
          throw new Error('the schema broke');
        },
      },
    };
    const tool: Tool<unknown, string> = {
      name: 'read',
      description: '',
      effect: 'pure',
      input: schema,
      execute: async () => 'executed',
    };
    const outcome = await moving()
      .open(async (run: Run) => done(await run.call(tool, {})))
      .start();
    expect(outcome).toMatchObject({
      stop: 'done',
      value: { ok: false, content: expect.stringContaining('the schema broke') },
    });
  });

  it('an output guard that throws sets the run aside with its words; the run can be resumed', async () => {
    const stage = moving();
    let broken = true;
    let ran = 0;
    const seams: Seams = {
      output: [
        (next) => async (outcome, ctx) => {
          if (broken) throw new Error('the guard broke');
          return next(outcome, ctx);
        },
      ],
    };
    const agent = async (run: Run): Promise<Outcome<unknown>> =>
      done(await run.step('act', null, () => ++ran, 'idempotent'));
    const life = stage.open(agent, { seams });
    await expect(life.start()).rejects.toThrow('the guard broke');
    expect(await stage.engine.get(RUN)).toMatchObject({ status: 'stalled', attention: 'the guard broke' });
    broken = false;
    expect(await life.resume()).toMatchObject({ stop: 'done', value: expect.any(Number) });
  });

  it('a simulation that throws is a failure of the effect, not of the run', async () => {
    const stage = moving();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await run.step('start', null, () => 1, 'pure');
      const act = run.step('act', null, () => 1, {
        class: 'idempotent',
        simulate: () => {
          throw new Error('cannot pretend');
        },
      });
      return done(await act.catch((error: Error) => error.message));
    };
    const life = stage.open(agent);
    await life.start();
    const handle = await life.runtime.fork(RUN, { at: 2, id: 'fork' });
    expect(await handle.outcome()).toMatchObject({ stop: 'done', value: 'cannot pretend' });
  });
});

describe('whoever waits for the end of a run', () => {
  it('is told when it is set aside instead', async () => {
    const stage = moving();
    const first = stage.open(async (run: Run) => {
      await run.wait({ name: 'go' });
      return done(await run.step('old', null, () => 1, 'pure'));
    });
    await first.start();
    first.die();
    // the code has changed meanwhile and does not fit any more
    const second = stage.open(
      async (run: Run) => {
        await run.sleep(1);
        return done(null);
      },
      { options: { worker: true, pollMs: 1e9 } },
    );
    const finished = second.runtime
      .handle(RUN)
      .finished()
      .then(
        () => 'resolved',
        (error: { readonly code: string }) => error.code,
      );
    await turns(20);
    await second.runtime.signal(RUN, 'go');
    await turns(100);
    expect((await second.runtime.get(RUN)).status).toBe('stalled');
    expect(await Promise.race([finished, turns(50).then(() => 'still waiting')])).toMatch(
      /REPLAY_DIVERGED|RUN_STALLED/,
    );
  });
});

describe('a larger budget for a run that is running', () => {
  it('is not silently ignored', async () => {
    const stage = still();
    const hold = gate<number>();
    const tool: Tool<number, number> = { name: 'count', description: '', effect: 'pure', execute: async (n) => n };
    const life = stage.open(async (run: Run) => {
      await run.step('slow', null, () => hold.opened, 'pure');
      for (let n = 0; n < 3; n++) await run.call(tool, n);
      return done(null);
    });
    const ended = life.start(null, { toolCalls: 1 });
    await turns(10);
    const answered = await life.runtime.resume(RUN, { budget: { toolCalls: 5 } }).then(
      () => 'accepted',
      () => 'refused',
    );
    await turns(10);
    hold.open(1);
    const outcome = await ended;
    // either the sender is told that it cannot be done now, or it is done
    expect(answered === 'refused' || outcome.stop === 'done').toBe(true);
  });
});
