import { done, type Outcome } from '../core/outcome.js';
import type { Agent, Entered } from '../core/run.js';
import type { Session } from '../core/session.js';
import type { Described } from '../core/use.js';
import { withNotes } from '../kit/notes.js';
import { checkCounts } from '../kit/options.js';
import { pattern } from '../kit/pattern.js';
import { askOnce, runPart } from '../kit/seat.js';
import { shown } from '../kit/shown.js';
import { type Attempted, betterOf, runTest, type Test } from '../kit/tested.js';

/** Who takes part in `reflexion`. */
export interface ReflexionParts<I, O> {
  /** Says whether an attempt is good enough, and why not: code, or a model in a session of its own. */
  readonly test: Test<I, O>;
  /** Says in one to three sentences what went wrong. */
  readonly critic: Session;
}

/** Options of `reflexion`. */
export interface ReflexionOptions {
  readonly maxAttempts?: number;
  /** How many of the last critiques the next attempt reads. */
  readonly keep?: number;
}

/** A critique is a diagnosis: what is longer is likely to be the answer itself. */
const MOST_CHARACTERS = 600;
const HEADING = 'Your earlier attempts at this task failed. What a critic wrote about them, oldest first:';

/**
 * Tries again with a written diagnosis of what failed.
 *
 * Model calls: `attempts × agent + attempts × test + (attempts - 1) × critic`. Ends `bounded` with the best attempt as its
 * partial value when the last one failed. Not for work without a test that can fail: a model that approves of itself
 * learns nothing from trying again. Where an attempt acts on the world, every attempt acts.
 *
 * @pattern R7
 * @example
 * ```ts
 * const careful = reflexion(coder, { test: green, critic }, { maxAttempts: 3 });
 * ```
 */
export function reflexion<I, O>(
  agent: Agent<I, O>,
  { test, critic }: ReflexionParts<I, O>,
  { maxAttempts = 3, keep = 3 }: ReflexionOptions = {},
): Described<Agent<I, O>> {
  checkCounts('reflexion (R7)', { maxAttempts, keep });
  const attempts = { fact: 'attempts', least: 1, most: { param: 'maxAttempts' } } as const;
  const about = {
    id: 'R7',
    name: 'reflexion',
    params: { maxAttempts, keep },
    parts: { agent, test, critic },
    apart: [['test', 'agent']],
    calls: {
      sum: [
        { times: [attempts, { part: 'agent' }] },
        { times: [attempts, { part: 'test' }] },
        { times: [{ fact: 'critiques', least: 0, most: maxAttempts - 1 }, { part: 'critic' }] },
      ],
    },
  } as const;
  return pattern(about, async (run, input: I) => {
    const reasons: string[] = [];
    const critiques: string[] = [];
    let best: Attempted<O> | undefined;
    for (let attempt = 1; ; attempt++) {
      const tried = await runPart(withNotes(run, HEADING, critiques.slice(-keep)), agent, input);
      run.learnt({ attempts: attempt, critiques: critiques.length });
      if (tried.stop !== 'done') return tried;
      const tested = await runTest(run, test, tried.value, input);
      if (tested.ok) return done(tried.value);
      best = betterOf(best, { value: tried.value, tested });
      run.best(best.value);
      reasons.push(tested.because);
      if (attempt === maxAttempts) return exhausted(run, best.value, { maxAttempts, reasons });
      critiques.push(await critiqueOf(run, critic, { value: tried.value, because: tested.because }));
      run.learnt({ critiques: critiques.length });
    }
  });
}

function exhausted<O>(
  run: Entered,
  partial: O,
  { maxAttempts, reasons }: { readonly maxAttempts: number; readonly reasons: readonly string[] },
): Outcome<O> {
  // the same complaint each time: another critic, or another pattern, sees what this one does not
  if (reasons.length > 1 && new Set(reasons).size === 1) run.learnt({ sharedBlindSpot: true });
  return { stop: 'bounded', bound: 'maxAttempts', limit: maxAttempts, partial };
}

async function critiqueOf(
  run: Entered,
  critic: Session,
  { value, because }: { readonly value: unknown; readonly because: string },
): Promise<string> {
  const asked = await askOnce(
    run,
    critic,
    `An attempt at a task failed its test. Say in one to three sentences what went wrong and what to do differently. Do not write the answer.\n\n<attempt>\n${shown(value)}\n</attempt>\n\n<test>\n${because}\n</test>`,
  );
  const critique = asked.stop === 'done' || asked.stop === 'degraded' ? asked.value : because;
  return critique.length > MOST_CHARACTERS ? `${critique.slice(0, MOST_CHARACTERS)} …` : critique;
}
