import type { EffectKind } from './effect-kind.js';

/**
 * What happened to an act. took-place: it completed. refused: a guard or a person said no. failed: it did not take
 * place. in-doubt: it was started and its result is unknown. simulated: a fork simulated it.
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
  /** It took place and was undone: by a rollback, or because another branch won. */
  readonly undone?: true;
  /** The code of the failure, if there is one. */
  readonly code?: string;
  /** The arguments, or why it did not take place; shortened. */
  readonly brief?: string;
}

/** The acts of a run, as part of its outcome. */
export interface Acts {
  readonly acts: readonly ActRecord[];
  /** How many acts are not listed, because the list is limited. */
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
