import type { ModelDelta } from 'flyball';
import type { FeedItem } from './run-feed.js';
import { SafeText } from './safe-text.js';

type DeltaItem = Extract<FeedItem, { readonly kind: 'delta' }>;
type Growing = Exclude<ModelDelta, { readonly type: 'restart' }>;

const MOST_CHARACTERS = 262_144;
const MOST_EFFECTS = 64;

/** A stretch of text of one kind, as far as it is safe to show. */
interface Piece {
  readonly kind: string;
  readonly of: Growing;
  readonly text: SafeText;
}

/** A reply that is arriving. */
interface Reply {
  readonly attempt: number;
  /** Counts how often it began again. */
  epoch: number;
  restarted: string | undefined;
  pieces: Piece[];
  size: number;
}

interface Place {
  attempt: number;
  epoch: number;
  piece: number;
  offset: number;
  /** Whether the reader knows of this piece: a call may be named long before any of its text is safe. */
  begun: boolean;
}
/** How much of each reply a reader has been given. */
export type DeltaCursor = Map<string, Place>;

/**
 * Replies as they arrive, joined: a reader takes what was added since it last came, in one go. Nothing waits for a slow
 * one; a reply that has ended is gone from here, because the journal has it.
 */
export class DeltaBoard {
  /** Pieces that no reader will get any more, or that one reader did not get in time. */
  dropped = 0;
  private readonly replies = new Map<string, Reply>();
  private readonly cursors = new Set<DeltaCursor>();
  private readonly known: readonly string[];

  constructor(known: readonly string[]) {
    this.known = known;
  }

  get isRead(): boolean {
    return this.cursors.size > 0;
  }

  enter(): DeltaCursor {
    const cursor: DeltaCursor = new Map();
    this.cursors.add(cursor);
    return cursor;
  }

  leave(cursor: DeltaCursor): void {
    this.cursors.delete(cursor);
    if (this.cursors.size === 0) this.replies.clear();
  }

  add(effect: string, attempt: number, delta: ModelDelta): void {
    const reply = this.replyOf(effect, attempt);
    if (reply === undefined) {
      this.dropped++;
      return;
    }
    if (delta.type === 'restart') {
      Object.assign(reply, { epoch: reply.epoch + 1, restarted: delta.why, pieces: [], size: 0 });
      return;
    }
    const text = delta.type === 'tool-call' ? delta.arguments : delta.text;
    if (reply.size + text.length > MOST_CHARACTERS) {
      this.dropped++;
      return;
    }
    reply.size += text.length;
    this.pieceFor(reply, delta).text.add(text);
  }

  /** The journal has it now. Whoever had not seen all of it reads it there. */
  end(effect: string): void {
    const reply = this.replies.get(effect);
    if (reply === undefined) return;
    this.replies.delete(effect);
    for (const cursor of this.cursors) {
      const place = cursor.get(effect);
      const last = reply.pieces.length - 1;
      if (last >= 0 && (place === undefined || place.piece < last)) this.dropped++;
      cursor.delete(effect);
    }
  }

  clear(): void {
    for (const effect of [...this.replies.keys()]) this.end(effect);
  }

  /** What the reader has not seen yet. */
  since(cursor: DeltaCursor): readonly DeltaItem[] {
    const items: DeltaItem[] = [];
    for (const [effect, reply] of this.replies) {
      const { attempt, epoch } = reply;
      let place = cursor.get(effect);
      if (place === undefined || place.attempt !== attempt) {
        place = { attempt, epoch: 0, piece: 0, offset: 0, begun: false };
        cursor.set(effect, place);
      }
      if (place.epoch !== epoch) {
        Object.assign(place, { epoch, piece: 0, offset: 0, begun: false });
        items.push({ kind: 'delta', effect, attempt, delta: { type: 'restart', why: reply.restarted ?? '' } });
      }
      for (const delta of advance(place, reply.pieces)) items.push({ kind: 'delta', effect, attempt, delta });
    }
    return items;
  }

  private replyOf(effect: string, attempt: number): Reply | undefined {
    const known = this.replies.get(effect);
    if (known?.attempt === attempt) return known;
    if (known === undefined && this.replies.size >= MOST_EFFECTS) return undefined;
    const begun: Reply = { attempt, epoch: 0, restarted: undefined, pieces: [], size: 0 };
    this.replies.set(effect, begun);
    return begun;
  }

  private pieceFor(reply: Reply, delta: Growing): Piece {
    const kind = delta.type === 'tool-call' ? `tool-call ${delta.id}` : delta.type;
    const last = reply.pieces.at(-1);
    if (last?.kind === kind) return last;
    last?.text.close();
    const begun: Piece = { kind, of: delta, text: new SafeText(this.known) };
    reply.pieces.push(begun);
    return begun;
  }
}

function* advance(place: Place, pieces: readonly Piece[]): Iterable<Growing> {
  for (; place.piece < pieces.length; place.piece++, place.offset = 0, place.begun = false) {
    const piece = pieces[place.piece];
    if (piece === undefined) return;
    const text = piece.text.safe.slice(place.offset);
    const isNew = !place.begun;
    place.offset += text.length;
    place.begun ||= text !== '' || piece.of.type === 'tool-call';
    if (text !== '' || (isNew && piece.of.type === 'tool-call')) yield written(piece.of, text, isNew);
    if (place.piece === pieces.length - 1) return; // it may still grow
  }
}

function written(of: Growing, text: string, isNew: boolean): Growing {
  if (of.type !== 'tool-call') return { type: of.type, text };
  const name = isNew && of.name !== undefined ? { name: of.name } : {};
  return { type: 'tool-call', id: of.id, ...name, arguments: text };
}
