import type { EffectId, EventOf, RunEvent } from './events.js';
import type { Outcome } from './outcome.js';

/** Where an entry stands in the journal of its run. */
export interface Position {
  readonly generation: number;
  readonly seq: number;
}

/** What a run tells whoever reads its events: what the journal holds, in its order, and replies while they are written. */
export type StreamedEvent<O = unknown> = JournaledEvent<O> | ReplyEvent;

/** An event of the journal. `position` is where it stands: a later reader can go on after it. */
export type JournaledEvent<O = unknown> = (
  | Exclude<RunEvent, { readonly type: 'run-end' }>
  | (Omit<EventOf<'run-end'>, 'outcome'> & { readonly outcome: Outcome<O> })
) & { readonly at: number; readonly position: Position };

/**
 * A piece of a reply, between the `ask-start` and the `ask-end` with the same id. The texts of a reply add up to the text in
 * its `ask-end`, whenever the reader came and whether or not the model streams. Not journaled.
 */
export type ReplyEvent =
  | { readonly type: 'text-delta'; readonly id: EffectId; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly id: EffectId; readonly text: string }
  /** Part of a proposed call; the name comes with the first part. */
  | {
      readonly type: 'tool-call-delta';
      readonly id: EffectId;
      readonly call: { readonly id: string; readonly name?: string; readonly arguments: string };
    }
  /** What came of this reply so far is void: the model is asked again. */
  | { readonly type: 'reply-restart'; readonly id: EffectId; readonly why: string };
