import { done, failed, type Run } from 'flyball';
import { expect, it } from 'vitest';
import { encode } from '../../packages/flyball/src/core/codec.js';
import { moving, RUN } from './stage.js';

const GENERATIONS = 200;
const ROOMY = { wallMs: 1e9 };

/** One act in each generation, each of which a rollback would have to undo. */
function acting(world: string[], end: () => ReturnType<typeof done> | ReturnType<typeof failed>) {
  return async (run: Run, input: unknown) => {
    const n = (input as number | null) ?? 0;
    await run.step('act', n, () => world.push(`act ${n}`), {
      class: 'undoable',
      compensate: async (of: number) => void world.push(`undo ${of}`),
    });
    return n + 1 < GENERATIONS ? run.continueWith(n + 1) : end();
  };
}

it('a generation takes as much of the journal as the one before it, however many there were [F-C9]', async () => {
  const stage = moving();
  const life = stage.open(acting([], () => done('end')));
  expect(await life.start(null, ROOMY)).toMatchObject({ stop: 'done' });
  const bytes: number[] = [];
  for (const { generation, event } of await stage.entries())
    bytes[generation] = (bytes[generation] ?? 0) + encode(event).body.length;
  expect(bytes).toHaveLength(GENERATIONS);
  // numbers get longer; nothing else does
  expect((bytes[GENERATIONS - 2] ?? 0) - (bytes[1] ?? 0)).toBeLessThan(40);
});

it('a run of many generations that fails undoes what each of them did, newest first [F-C9]', async () => {
  const stage = moving();
  const world: string[] = [];
  const end = () => failed({ code: 'EFFECT_FAILED', message: 'no', retryable: false });
  const outcome = await stage.open(acting(world, end)).start(null, ROOMY);
  expect(outcome).toMatchObject({ stop: 'failed', rollback: { success: true } });
  const numbers = Array.from({ length: GENERATIONS }, (_none, n) => n);
  expect(world.slice(0, GENERATIONS)).toEqual(numbers.map((n) => `act ${n}`));
  expect(world.slice(GENERATIONS)).toEqual(numbers.reverse().map((n) => `undo ${n}`));
  const undos = (await stage.events('intent', RUN)).filter(({ of }) => of === 'undo').map(({ id }) => id);
  expect(new Set(undos).size).toBe(GENERATIONS);
});
