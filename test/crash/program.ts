import fc from 'fast-check';
import { done, failed, type Outcome, type Run, type Session } from 'flyball';
import type { World } from './world.js';

/**
 * Random agents for crash tests: nested sequences, branches, raw promises and races, children, waits, timers, model
 * and tool calls, all of them reading and writing one shared board, so that any change of order shows in a later input.
 */
export type Program =
  | {
      readonly kind: 'step';
      readonly effect: 'pure' | 'idempotent' | 'undoable' | 'unverified' | 'irreversible';
      readonly fails: boolean;
    }
  | { readonly kind: 'call' }
  | { readonly kind: 'ask' }
  | { readonly kind: 'wait'; readonly timeoutMs: number }
  | { readonly kind: 'sleep'; readonly ms: number }
  | { readonly kind: 'take' }
  | { readonly kind: 'seq' | 'all' | 'raw' | 'race' | 'first' | 'spawn' | 'share'; readonly parts: readonly Program[] };

export interface Case {
  readonly program: Program;
  readonly failsAtEnd: boolean;
  /** A run that reaches a bound is resumed under a larger budget. */
  readonly enlarges: boolean;
  readonly toolCalls: number;
  readonly iterations: number;
  readonly seed: number;
  /** For each life that crashes: at which write, before or after it. */
  readonly crashes: readonly { readonly at: number; readonly when: 'before' | 'after' }[];
  /** Somebody cancels the run in this life, at this write. */
  readonly cancel: { readonly life: number; readonly at: number } | undefined;
}

const leaf: fc.Arbitrary<Program> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('step' as const),
      effect: fc.constantFrom(
        'pure' as const,
        'idempotent' as const,
        'undoable' as const,
        'unverified' as const,
        'irreversible' as const,
      ),
      fails: fc.boolean().map((fails) => fails),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'call' as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'ask' as const }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('wait' as const), timeoutMs: fc.constantFrom(5, 5000) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('sleep' as const), ms: fc.constantFrom(1, 3000) }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'take' as const }) },
);

const { tree } = fc.letrec<{ tree: Program }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3, depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.record({
      kind: fc.constantFrom(
        'seq' as const,
        'all' as const,
        'raw' as const,
        'race' as const,
        'first' as const,
        'spawn' as const,
        'share' as const,
      ),
      parts: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }),
    }),
  ),
}));

export const cases: fc.Arbitrary<Case> = fc.record({
  program: fc.record({ kind: fc.constant('seq' as const), parts: fc.array(tree, { minLength: 1, maxLength: 4 }) }),
  failsAtEnd: fc.boolean(),
  enlarges: fc.boolean(),
  toolCalls: fc.integer({ min: 1, max: 6 }),
  iterations: fc.integer({ min: 1, max: 4 }),
  seed: fc.integer({ min: 1, max: 2 ** 31 }),
  crashes: fc.array(
    fc.record({ at: fc.integer({ min: 1, max: 14 }), when: fc.constantFrom('before' as const, 'after' as const) }),
    { maxLength: 3 },
  ),
  cancel: fc.oneof(
    { weight: 2, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.record({ life: fc.integer({ min: 0, max: 2 }), at: fc.integer({ min: 2, max: 14 }) }) },
  ),
});

/** The agent that a program stands for. `world` is where its effects go; it outlives every crash. */
export function agentOf(given: Case, world: World, session: Session): (run: Run) => Promise<Outcome<unknown>> {
  return async function fuzzed(run) {
    const board: unknown[] = [0];
    const value = await interpret(given.program, run, board, world, session);
    const last = await run.step('last', [...board.slice(-4), value ?? null], () => world.fresh(), 'pure');
    if (given.failsAtEnd) return failed({ code: 'EFFECT_FAILED', message: 'fails at its end', retryable: false });
    return done([value ?? null, last]);
  };
}

async function interpret(
  program: Program,
  run: Run,
  board: unknown[],
  world: World,
  session: Session,
): Promise<unknown> {
  const go = (part: Program, on: Run): Promise<unknown> => interpret(part, on, board, world, session);
  const put = (value: unknown): unknown => {
    board.push(value ?? null);
    return value;
  };
  switch (program.kind) {
    case 'step':
      return put(await act(program, run, board, world));
    case 'call': {
      const result = await run.call(world.tool, { seen: board.slice(-2) });
      return put(result.content);
    }
    case 'ask':
      return put((await run.ask(session, JSON.stringify(board.slice(-2)))).text);
    case 'wait':
      return put(await run.wait({ name: 'go', timeoutMs: program.timeoutMs }));
    case 'sleep':
      await run.sleep(program.ms);
      return put(run.now() > 0 ? run.random() : 0);
    case 'take':
      run.budget.take('iterations');
      run.note({ kind: 'taken', left: run.budget.remaining('iterations') });
      return put(run.budget.remaining('iterations'));
    case 'seq': {
      let value: unknown;
      for (const part of program.parts) value = await go(part, run);
      return value;
    }
    case 'all':
      return (
        await run.all(
          program.parts.map((part) => (on: Run) => go(part, on)),
          2,
        )
      ).map((result) => (result.ok ? (result.value ?? null) : result.error.message));
    case 'raw':
      return (await Promise.all(program.parts.map((part) => go(part, run)))).map((value) => value ?? null);
    case 'race':
      return Promise.race(program.parts.map((part) => go(part, run)));
    case 'first':
      return run.first(program.parts.map((part) => (on: Run) => go(part, on)));
    case 'spawn':
    case 'share': {
      const child = async (on: Run, input: unknown): Promise<Outcome<unknown>> => {
        const own: unknown[] = [input];
        let value: unknown;
        for (const part of program.parts) value = await interpret(part, on, own, world, session);
        return done(value ?? null);
      };
      const outcome = await run.spawn(child, board.at(-1) ?? null, program.kind === 'spawn' ? { share: 0.5 } : {});
      return put(outcome.stop === 'done' ? outcome.value : outcome.stop);
    }
  }
}

async function act(
  program: Program & { readonly kind: 'step' },
  run: Run,
  board: readonly unknown[],
  world: World,
): Promise<unknown> {
  const input = board.slice(-3);
  const body = (_input: unknown, how: { readonly key: string }): Promise<unknown> =>
    world.execute(how.key, program.effect, program.fails);
  const rules = world.rules(program.effect);
  return run.step(program.effect, input, body, rules).catch((error: { readonly code?: string }) => {
    if (error.code === 'BOUND_REACHED' || error.code === 'CANCELLED') throw error;
    return `failed ${error.code ?? ''}`;
  });
}
