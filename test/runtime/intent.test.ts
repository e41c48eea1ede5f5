import { done, type Engine, memoryEngine, type Outcome, type Run, type Session, type Tool } from 'flyball';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { answer, at, eventsOf, moving, RUN } from './stage.js';

/** Notes the types of the entries of every append. */
function counted(): { readonly engine: Engine; readonly appends: string[][] } {
  const inner = memoryEngine();
  const appends: string[][] = [];
  return {
    appends,
    engine: {
      ...inner,
      append: (claim, batch) => {
        appends.push(batch.entries.map(({ body }) => (JSON.parse(body) as { type: string }).type));
        return inner.append(claim, batch);
      },
    },
  };
}

describe('an effect that can change the world', () => {
  it.each(['idempotent', 'undoable', 'irreversible'] as const)(
    'writes INTENT durably before it runs and COMPLETE after: %s [R2-INTENT] [R2-CLASSES]',
    async (kind) => {
      const stage = moving();
      const durable: string[][] = [];
      const rules =
        kind === 'undoable'
          ? { class: kind, compensate: async () => undefined }
          : kind === 'irreversible'
            ? { class: kind }
            : kind;
      const life = stage.open(async (run: Run) =>
        done(
          await run.step(
            'act',
            { n: 1 },
            async () => {
              durable.push((await life.runtime.entries(RUN)).map(({ event }) => event.type));
              return 'acted';
            },
            rules,
          ),
        ),
      );
      let outcome = await life.start();
      if (outcome.stop === 'suspended') {
        await answer(life.runtime, RUN, 'approve:#0', { verdict: 'approve' });
        outcome = await life.resume();
      }
      expect(outcome).toMatchObject({ stop: 'done', value: 'acted' });
      expect(durable[0]?.at(-1)).toBe('intent');
      expect(await stage.events('intent')).toMatchObject([
        { id: '#0', of: 'step', name: 'act', class: kind, input: { n: 1 }, attempt: 1 },
      ]);
      expect(await stage.events('complete')).toMatchObject([{ id: '#0', result: 'acted' }]);
    },
  );

  it('ends in ABORT when it failed [R2-INTENT]', async () => {
    const stage = moving();
    await stage
      .open(async (run: Run) => {
        await run
          .step(
            'act',
            null,
            () => {
              throw new Error('refused');
            },
            'idempotent',
          )
          .catch(() => undefined);
        return done(null);
      })
      .start();
    expect(await stage.events('abort')).toMatchObject([{ id: '#0', failure: { message: 'refused' } }]);
    expect(await stage.events('complete')).toEqual([]);
  });

  it('that is pure writes no INTENT [R2-CLASSES]', async () => {
    const stage = moving();
    await stage.open(async (run: Run) => done(await run.step('read', null, () => 1, 'pure'))).start();
    expect(await stage.events('intent')).toEqual([]);
    expect(await stage.events('complete')).toMatchObject([{ id: '#0', of: 'step', name: 'read', result: 1 }]);
  });

  it('is not made when the process dies before INTENT is durable [R2-INTENT] [V10.4] [V10.6]', async () => {
    const stage = moving();
    let made = 0;
    const agent = async (run: Run): Promise<Outcome<unknown>> =>
      done(await run.step('act', null, () => ++made, { class: 'undoable', compensate: async () => undefined }));
    await stage.crashed(agent, at('before', 'intent'));
    expect(made).toBe(0);
    expect(await stage.events('intent')).toEqual([]);
    expect(await stage.open(agent).resume()).toMatchObject({ stop: 'done', value: 1 });
    expect(made).toBe(1);
  });

  it('is answered and not repeated when the process dies after COMPLETE [R2-INTENT] [R2-FAILURE-CRASH] [V10.6]', async () => {
    const stage = moving();
    let made = 0;
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const value = await run.step('act', null, () => ++made, { class: 'undoable', compensate: async () => undefined });
      await run.wait({ name: 'go' });
      return done(value);
    };
    await stage.crashed(agent, at('after', 'complete'));
    const second = stage.open(agent);
    await second.runtime.signal(RUN, 'go');
    expect(await second.resume()).toMatchObject({ stop: 'done', value: 1 });
    expect(made).toBe(1);
  });

  it('has a key that holds run and generation and stays the same over attempts [R2-INTENT] [R2-DOUBT-IDEMPOTENT]', async () => {
    const stage = moving();
    const keys: string[] = [];
    const agent = async (run: Run, input: { readonly turn: number } | null): Promise<Outcome<unknown>> => {
      await run.step(
        'act',
        null,
        (_input, { key }) => {
          keys.push(key);
        },
        'idempotent',
      );
      return input === null ? run.continueWith({ turn: 1 }) : done(null);
    };
    await stage.crashed(agent as never, (point) => point.when === 'before' && point.entries?.[0] === 'complete');
    await stage.open(agent as never).resume();
    expect(keys).toEqual(['run:0:#0', 'run:0:#0', 'run:1:#0']);
  });

  it('is timed out by its own limit, and the code is told', async () => {
    const stage = moving();
    const life = stage.open(async (run: Run) => {
      const failure = await run
        .step('slow', null, () => new Promise(() => {}), { class: 'idempotent', timeoutMs: 100 })
        .catch((error: { code: string; retryable: boolean }) => error);
      return done(failure);
    });
    expect(await life.start()).toMatchObject({ stop: 'failed' }); // an Error is no value; what matters is the journal
    expect(await stage.events('complete')).toMatchObject([
      {
        how: 'unknown',
        failure: {
          code: 'EFFECT_TIMEOUT',
          retryable: true,
          message: expect.stringMatching(/^It did not end within 100 ms/),
        },
      },
    ]);
  });

  it('must declare its class, and a step its name', async () => {
    const outcome = await moving()
      .open(async (run: Run) => {
        const first = await run.step('act', null, () => 1, undefined as never).catch((error: Error) => error.message);
        const second = await run.step('', null, () => 1, 'pure').catch((error: Error) => error.message);
        return done([first, second]);
      })
      .start();
    expect(outcome).toMatchObject({
      value: [expect.stringContaining('must declare its effect class'), expect.stringContaining('needs a name')],
    });
  });
});

describe('commits', () => {
  it('are two an iteration for a loop of model and tool: results share the next one', async () => {
    const { engine, appends } = counted();
    const model = scriptedModel({ talker: () => 'go on' });
    const session: Session = { name: 'talker', model, setup: 'Talk.' };
    const tool: Tool<number, number> = {
      name: 'act',
      description: 'Acts.',
      effect: 'idempotent',
      execute: async (n) => n,
    };
    const outcome = await moving(engine)
      .open(async (run: Run) => {
        for (let n = 0; n < 10; n++) {
          await run.ask(session, `turn ${n}`);
          await run.call(tool, n);
        }
        return done(null);
      })
      .start();
    expect(outcome.stop).toBe('done');
    expect(appends.length).toBeLessThanOrEqual(2 * 10 + 1);
    expect(appends.filter((types) => types.includes('ask-start') || types.includes('intent'))).toHaveLength(20);
  });

  it('are none of their own for pure results, which wait for company', async () => {
    const { engine, appends } = counted();
    await moving(engine)
      .open(async (run: Run) => {
        for (let n = 0; n < 20; n++) await run.step('read', n, () => n, 'pure');
        return done(null);
      })
      .start();
    expect(appends).toHaveLength(1);
  });

  it('tell observers only what is durable', async () => {
    const stage = moving();
    const seen: string[] = [];
    const life = stage.open(async (run: Run) => done(await run.step('act', null, () => 1, 'idempotent')));
    const stop = life.runtime.subscribe((runId, entries) => {
      expect(runId).toBe(RUN);
      for (const { event } of entries) seen.push(event.type);
    });
    life.runtime.subscribe(() => {
      throw new Error('an observer that breaks'); // is no concern of the run
    });
    expect(await life.start()).toMatchObject({ stop: 'done' });
    stop();
    expect(seen).toEqual(['attempt-start', 'intent', 'complete', 'run-end']);
    expect(eventsOf(await stage.entries(), 'run-end')).toHaveLength(1);
  });
});
