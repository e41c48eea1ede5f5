import { done, type Engine, memoryEngine, type Outcome, type Run } from 'flyball';
import { describe, expect, it } from 'vitest';
import { writeUncertain } from '../../packages/flyball/src/core/engine-errors.js';
import { moving, RUN } from './stage.js';

/** An engine that makes its write number `at`, or does not, and then says that it cannot tell. */
function unsure(engine: Engine, at: number, isMade: boolean): Engine & { readonly writes: () => number } {
  let n = 0;
  const write = async <T>(runId: string, make: () => Promise<T>): Promise<T> => {
    if (++n !== at) return make();
    if (isMade) await make();
    throw writeUncertain(runId, new Error('the connection was cut'));
  };
  return {
    ...engine,
    create: (run) => write(run.id, () => engine.create(run)),
    append: (claim, batch) => write(claim.runId, () => engine.append(claim, batch)),
    writes: () => n,
  };
}

describe('a write that may have been made', () => {
  const acted: string[] = [];
  const agent = async (run: Run): Promise<Outcome<unknown>> => {
    const first = await run.step('one', null, () => acted.push('one'), 'idempotent');
    await run.step('two', { first }, () => acted.push('two'), 'idempotent');
    return done('ended');
  };

  it.each([true, false])(
    'is looked up by the next life, and nothing goes wrong over it (made: %s) [R10-PORT-UNCERTAIN]',
    async (isMade) => {
      const calm = unsure(memoryEngine(), 0, true);
      await moving(calm).open(agent).start();
      expect(calm.writes()).toBe(4);
      for (let at = 2; at <= calm.writes(); at++) {
        acted.length = 0;
        const stage = moving(unsure(memoryEngine(), at, isMade));
        const unlucky = stage.open(agent);
        const told = await unlucky.start().catch((error: unknown) => error);
        expect(told, `write ${at}`).toMatchObject({ code: 'STORAGE_UNCERTAIN', detail: { runId: RUN } });
        // nobody resumes it: a run that was set aside for this would wait for a person
        expect(await stage.engine.get(RUN), `write ${at}`).not.toMatchObject({ status: 'stalled' });
        unlucky.die();
        const { runtime } = stage.open(agent, { options: { worker: true } });
        const ended = await runtime.handle(RUN).finished();
        expect(ended, `write ${at}`).toMatchObject({ stop: 'done', value: 'ended' });
        const results = (await stage.events('complete')).length;
        expect(results, `write ${at}`).toBe(2);
      }
    },
  );

  it('is told of a start with the id to look for, and its caller finds the run or may start it again [R10-PORT-UNCERTAIN]', async () => {
    for (const isMade of [true, false]) {
      const inner = memoryEngine();
      const stage = moving(unsure(inner, 1, isMade));
      const told = await stage
        .open(agent)
        .start()
        .catch((error: unknown) => error);
      expect(told).toMatchObject({ code: 'STORAGE_UNCERTAIN', detail: { runId: RUN } });
      expect((await inner.get(RUN)) !== undefined).toBe(isMade);
      const again = await moving(inner)
        .open(agent)
        .start()
        .catch((error: unknown) => error);
      expect(again).toMatchObject(isMade ? { code: 'RUN_EXISTS' } : { stop: 'done' });
    }
  });
});
