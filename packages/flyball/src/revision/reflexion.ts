import { blocked, type Outcome } from '../core/outcome.js';
import type { Agent, Entered } from '../core/run.js';
import type { Session } from '../core/session.js';
import { callingNoModel, type Described, isSession } from '../core/use.js';
import { withNotes } from '../kit/notes.js';
import { checkCounts, checkGiven } from '../kit/options.js';
import { pattern } from '../kit/pattern.js';
import { askOnce, runPart } from '../kit/seat.js';
import { shown } from '../kit/shown.js';
import { runTest, type Test } from '../kit/tested.js';
import { inRounds } from './in-rounds.js';

/** An attempt that failed its test. */
export interface FailedAttempt<I, O> {
  readonly input: I;
  readonly value: O;
  /** What the test says. */
  readonly because: string;
}

/** A diagnosis by code, which calls no model. Undefined: another attempt would be the same, and none is made. */
export type CodeCritic<I, O> = (failed: FailedAttempt<I, O>) => string | undefined;

/** Who takes part in `reflexion`. */
export interface ReflexionParts<I, O> {
  /** Says whether an attempt is good enough, and why not: code, or a model in a session of its own. */
  readonly test: Test<I, O>;
  /** Says in one to three sentences what went wrong: a session, or code where the test says enough. */
  readonly critic: Session | CodeCritic<I, O>;
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
  checkGiven('reflexion (R7)', { agent, test, critic });
  checkCounts('reflexion (R7)', { maxAttempts, keep });
  const attempts = { fact: 'attempts', least: 1, most: { param: 'maxAttempts' } } as const;
  const about = {
    id: 'R7',
    name: 'reflexion',
    params: { maxAttempts, keep },
    parts: { agent, test, critic: isSession(critic) ? critic : callingNoModel(critic.bind(undefined)) },
    apart: [['test', 'agent']],
    calls: {
      sum: [
        { times: [attempts, { part: 'agent' }] },
        { times: [attempts, { part: 'test' }] },
        { times: [{ fact: 'critiques', least: 0, most: maxAttempts - 1 }, { part: 'critic' }] },
      ],
    },
  } as const;
  return pattern(about, (run, input: I) => {
    const reasons: string[] = [];
    const critiques: string[] = [];
    const attempt = async (n: number): Promise<Outcome<O>> => {
      const tried = await runPart(withNotes(run, HEADING, critiques.slice(-keep)), agent, input);
      run.learned({ attempts: n, critiques: asked(critic, critiques.length) });
      return tried;
    };
    return inRounds<O>(run, {
      limit: maxAttempts,
      bound: 'maxAttempts',
      draft: () => attempt(1),
      judge: async (value, n) => {
        const tested = await runTest(run, test, value, input);
        if (tested.ok) return tested;
        reasons.push(tested.because);
        // the same complaint each time: another critic, or another pattern, sees what this one does not
        if (n === maxAttempts && n > 1 && new Set(reasons).size === 1) run.learned({ sharedBlindSpot: true });
        return tested;
      },
      revise: async (value, { because }, n, best) => {
        const critique = await critiqueOf(run, critic, { input, value, because });
        if (critique === undefined)
          return blocked(because, { partial: best, reason: { code: 'exhausted', data: { tried: n } } });
        critiques.push(critique);
        run.learned({ critiques: asked(critic, critiques.length) });
        return attempt(n + 1);
      },
    });
  });
}

/** How often a model wrote a critique. */
const asked = (critic: object, critiques: number): number => (isSession(critic) ? critiques : 0);

async function critiqueOf<I, O>(
  run: Entered,
  critic: Session | CodeCritic<I, O>,
  failed: FailedAttempt<I, O>,
): Promise<string | undefined> {
  const critique = isSession(critic) ? await written(run, critic as Session, failed) : critic(failed);
  if (critique === undefined) return undefined;
  return critique.length > MOST_CHARACTERS ? `${critique.slice(0, MOST_CHARACTERS)} …` : critique;
}

async function written(
  run: Entered,
  critic: Session,
  { value, because }: Omit<FailedAttempt<unknown, unknown>, 'input'>,
): Promise<string> {
  const said = await askOnce(
    run,
    critic,
    `An attempt at a task failed its test. Say in one to three sentences what went wrong and what to do differently. Do not write the answer.\n\n<attempt>\n${shown(value)}\n</attempt>\n\n<test>\n${because}\n</test>`,
  );
  return said.stop === 'done' || said.stop === 'degraded' ? said.value : because;
}
