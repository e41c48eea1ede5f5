import {
  done,
  type EffectClass,
  type EffectContext,
  type Outcome,
  type Run,
  type Tool,
  type ToolRef,
  type Verification,
} from 'flyball';
import { describe, expect, it } from 'vitest';
import { at, moving, RUN } from './stage.js';

/** What exists outside, and how to make it go away again. */
class Things {
  readonly exist = new Set<string>();
  readonly log: string[] = [];

  make<T>(name: string, result: T): T {
    this.exist.add(name);
    this.log.push(`make ${name}`);
    return result;
  }

  removable(kind: 'idempotent' | 'undoable'): EffectClass<string, never> {
    return {
      class: kind,
      compensate: async (name) => {
        this.exist.delete(name);
        this.log.push(`undo ${name}`);
      },
    };
  }
}

/** The type says it can be stored; the value cannot. */
const unstorable = (): never => new Date(0) as never;

describe('an effect that took place', () => {
  it('is undone after a cancellation, also an idempotent one that a crash had cut off [R2-DOUBT-CANCEL] [R2-DOUBT-IDEMPOTENT]', async () => {
    const stage = moving();
    const things = new Things();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await run.step('put', 'a', (name) => things.make(name, 1 as never), things.removable('idempotent'));
      return done(null);
    };
    await stage.crashed(agent, at('before', 'complete'));
    const life = stage.open(agent);
    await life.runtime.cancel(RUN);
    expect(await life.resume()).toMatchObject({
      stop: 'cancelled',
      rollback: { success: true, entries: [{ effect: '#0', status: 'COMPENSATED' }] },
    });
    expect(things.log).toEqual(['make a', 'make a', 'undo a']);
    expect((await stage.events('complete'))[0]).toMatchObject({ id: '#0', how: 'repeated' });
    expect(await stage.events('abort')).toEqual([]);
  });

  it('is complete with a failure when its result cannot be kept, and is undone [R2-EFFECT-ENCODED] [R2-SAGA-FAILURE]', async () => {
    const stage = moving();
    const things = new Things();
    const life = stage.open(async (run: Run) => {
      const put = run.step('put', 'a', (name) => things.make(name, unstorable()), things.removable('undoable'));
      const code = await put.catch((error: { code: string }) => error.code);
      throw new Error(`gave up: ${code}`);
    });
    expect(await life.start()).toMatchObject({
      stop: 'failed',
      because: 'gave up: VALUE_NOT_SERIALIZABLE',
      rollback: { success: true, entries: [{ effect: '#0', status: 'COMPENSATED' }] },
    });
    expect([...things.exist]).toEqual([]);
    expect((await stage.events('complete'))[0]).toMatchObject({
      id: '#0',
      result: null,
      failure: { code: 'VALUE_NOT_SERIALIZABLE' },
    });
    expect(await stage.events('abort')).toEqual([]);
  });

  it.each(['a result that is no plain data', 'a guard after it that throws'])(
    'as a tool call is an observation and is undone, in spite of %s [R2-RUN-CALL] [R2-SEAMS]',
    async (what) => {
      const stage = moving();
      const things = new Things();
      const isGuarded = what.startsWith('a guard');
      const put: Tool<string> = {
        name: 'put',
        description: 'Puts it there.',
        effect: things.removable('undoable') as EffectClass<unknown, string>,
        execute: async (name) => things.make(name as string, isGuarded ? 'kept' : unstorable()),
      };
      const guard = () => async (): Promise<never> => {
        throw new Error('nothing leaves here');
      };
      const seen: unknown[] = [];
      const life = stage.open(
        async (run: Run) => {
          seen.push(await run.call(put, 'a'));
          throw new Error('boom');
        },
        { seams: isGuarded ? { 'tool.post': [guard] } : {} },
      );
      expect(await life.start()).toMatchObject({
        stop: 'failed',
        because: 'boom',
        rollback: { entries: [{ effect: '#0', status: 'COMPENSATED' }] },
      });
      expect(seen).toMatchObject([{ ok: false, failure: { message: expect.any(String) } }]);
      expect(things.log).toEqual(['make a', 'undo a']);
      expect((await stage.events('complete'))[0]).toMatchObject({ id: '#0', failure: expect.anything() });
    },
  );
});

describe('the rules of an effect', () => {
  class Shelf {
    readonly class = 'undoable';
    readonly things: Things;
    constructor(things: Things) {
      this.things = things;
    }
    async verify(name: string, _how: EffectContext): Promise<Verification<string>> {
      return this.things.exist.has(name) ? { happened: 'yes', result: 'found' } : { happened: 'no' };
    }
    async compensate(name: string): Promise<void> {
      this.things.exist.delete(name);
    }
  }

  it('can be methods of a class [R2-DOUBT-VERIFY] [R2-SAGA-FAILURE]', async () => {
    const stage = moving();
    const things = new Things();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const result = await run.step('put', 'a', (name) => things.make(name, 'made'), new Shelf(things));
      throw new Error(result);
    };
    await stage.crashed(agent, at('before', 'complete'));
    const life = stage.open(agent, { options: { worker: true } });
    await life.resume(); // the doubt waits for the deadline in INTENT
    expect(await life.runtime.handle(RUN).finished()).toMatchObject({
      stop: 'failed',
      because: 'found',
      rollback: { success: true },
    });
    expect(things.log).toEqual(['make a']);
    expect([...things.exist]).toEqual([]);
  });
});

describe('a request for approval', () => {
  it('that cannot be stored is a failure of the call, not of the run [R2-APPROVAL-GATE] [R2-RUN-CALL]', async () => {
    const stage = moving();
    const made: unknown[] = [];
    const tool: Tool<string> = {
      name: 'send',
      description: 'Sends it.',
      input: {
        '~standard': { version: 1, vendor: 'test', validate: () => ({ value: { at: new Date(0) } }) },
      },
      effect: { class: 'irreversible', why: 'sent is sent' },
      execute: async (args) => {
        made.push(args);
        return 'sent';
      },
    };
    const life = stage.open(async (run: Run) => done(await run.call(tool as ToolRef, {})));
    expect(await life.start()).toMatchObject({
      stop: 'done',
      value: { ok: false, failure: { code: 'VALUE_NOT_SERIALIZABLE' } },
    });
    expect(made).toEqual([]);
  });
});
