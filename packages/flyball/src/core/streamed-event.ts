import type { EffectId, EventOf, RunEvent } from './events.js';
import type { Outcome } from './outcome.js';

/** The position of an entry in the journal. */
export interface Position {
  readonly generation: number;
  readonly seq: number;
}

/** An event of `handle.events()`: the entries of the journal in order, and parts of replies as they are written. */
export type StreamedEvent<O = unknown> = JournaledEvent<O> | ReplyEvent;

/** An event of the journal. Pass its `position` as `after` to continue from there. */
export type JournaledEvent<O = unknown> = (
  | Exclude<RunEvent, { readonly type: 'run-end' }>
  | (Omit<EventOf<'run-end'>, 'outcome'> & { readonly outcome: Outcome<O> })
) & { readonly at: number; readonly position: Position };

/**
 * A part of a reply, between the `ask-start` and the `ask-end` with the same id. The texts of a reply add up to the
 * text in its `ask-end`, even if the model does not stream. Not journaled.
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
  /** The model is asked again. Discard the parts of this reply. */
  | { readonly type: 'reply-restart'; readonly id: EffectId; readonly why: string };
