import { done, type Outcome } from '../core/outcome.js';
import type { Entered } from '../core/run.js';
import { type Attempted, betterOf, type Tested } from '../kit/tested.js';

/** What a test says of a value that did not pass. */
export type Failed = Extract<Tested, { readonly ok: false }>;

/** How drafts come about and who judges them. */
export interface Rounds<O> {
  /** The most drafts that are judged, and what the caller calls this limit. */
  readonly limit: number;
  readonly bound: string;
  draft(): Promise<Outcome<O>>;
  /** An outcome ends the rounds with it. `best`: the best draft before this one. */
  judge(value: O, round: number, best: O | undefined): Promise<Tested | Outcome<O>>;
  /** `best`: the best draft so far. */
  revise(value: O, failed: Failed, round: number, best: O): Promise<Outcome<O>>;
}

/**
 * Draft, verdict, revision: until a draft passes. When the rounds are used up, the best draft is the partial value: a
 * rejected one never passes for an accepted one. A draft that did not come about ends the rounds as it ended.
 */
export async function inRounds<O>(run: Entered, rounds: Rounds<O>): Promise<Outcome<O>> {
  const { limit, bound } = rounds;
  let best: Attempted<O> | undefined;
  let drafted = await rounds.draft();
  for (let round = 1; drafted.stop === 'done'; round++) {
    const { value } = drafted;
    const tested = await rounds.judge(value, round, best?.value);
    if ('stop' in tested) return tested;
    if (tested.ok) return done(value);
    best = betterOf(best, { value, tested });
    run.best(best.value);
    if (round === limit) return { stop: 'bounded', bound, limit, partial: best.value };
    drafted = await rounds.revise(value, tested, round, best.value);
  }
  return drafted;
}
