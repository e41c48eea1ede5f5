import type { EffectKind } from './effect-kind.js';

/**
 * What became of something that would change the world.
 * took-place: the journal has its COMPLETE. refused: a guard or a person said no. failed: the journal has its ABORT.
 * in-doubt: the journal has its INTENT and nothing says whether it happened. simulated: only a fork's stand-in.
 */
export type ActFate = 'took-place' | 'refused' | 'failed' | 'in-doubt' | 'simulated';

/** One tool call or step that changes something, or a question that a person answered with a no. */
export interface ActRecord {
  /** Identity of the effect. */
  readonly id: string;
  /** Ids start again in each generation; absent in the first. */
  readonly generation?: number;
  /** Of the tool or the step. */
  readonly name: string;
  readonly of: 'call' | 'step';
  readonly class: EffectKind;
  readonly what: ActFate;
  /** It took place and was taken back: by a rollback, or because another branch won. */
  readonly undone?: true;
  /** Code of the failure, where there is one. */
  readonly code?: string;
  /** What it was made with, or why it did not take place; clipped. */
  readonly brief?: string;
}

/** What an outcome says of the acts of its run. */
export interface Acts {
  readonly acts: readonly ActRecord[];
  /** Further ones that are not listed: the list is bounded. */
  readonly actsLeftOut?: number;
}

/** An act for those who may not read the run: names and facts. With what and why is the run's to tell. */
export type BareAct = Pick<ActRecord, 'id' | 'name' | 'class' | 'what' | 'undone'>;

export function bareActs(acts: readonly ActRecord[]): readonly BareAct[] {
  return acts.map(({ id, name, class: effectClass, what, undone }) => ({
    id,
    name,
    class: effectClass,
    what,
    ...(undone === undefined ? {} : { undone }),
  }));
}
