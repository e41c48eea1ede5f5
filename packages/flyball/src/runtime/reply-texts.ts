import { unreachable } from '../core/errors.js';
import type { EffectId, RunEvent } from '../core/events.js';
import type { ModelDelta } from '../core/model.js';
import type { ReplyEvent } from '../core/streamed-event.js';

/** Pieces of replies that a reader has yet to be told, and how much of each reply it knows. */
export class ReplyTexts {
  /** Replies that are being written, with the text that was told. */
  private readonly open = new Map<EffectId, string>();
  private pending: ReplyEvent[] = [];

  get hasNews(): boolean {
    return this.pending.length > 0;
  }

  /** Pieces of one text are joined while nobody takes them: what waits is never longer than the replies themselves. */
  hear(id: EffectId, delta: ModelDelta): void {
    const last = this.pending.at(-1);
    if (delta.type === 'text' && last?.type === 'text-delta' && last.id === id)
      this.pending.splice(-1, 1, { ...last, text: last.text + delta.text });
    else this.pending.push(eventOf(id, delta));
  }

  /** Everything that was heard of replies that are being written. */
  take(): readonly ReplyEvent[] {
    const heard = this.pending;
    this.pending = [];
    return this.told(heard);
  }

  /** What has to be told before this entry of the journal. */
  before(event: RunEvent): readonly ReplyEvent[] {
    if (event.type === 'ask-start') return this.begin(event.id);
    return event.type === 'ask-end' ? this.end(event.id, event.reply?.text) : [];
  }

  private begin(id: EffectId): readonly ReplyEvent[] {
    const text = this.open.get(id);
    this.open.set(id, '');
    return text === undefined || text === '' ? [] : [{ type: 'reply-restart', id, why: 'The model is asked again.' }];
  }

  private end(id: EffectId, text: string | undefined): readonly ReplyEvent[] {
    const heard = this.pending.filter((event) => event.id === id);
    this.pending = this.pending.filter((event) => event.id !== id);
    const told = this.told(heard);
    const known = this.open.get(id) ?? '';
    this.open.delete(id);
    if (text === undefined || text === known) return told;
    if (text.startsWith(known)) return [...told, { type: 'text-delta', id, text: text.slice(known.length) }];
    const restart = { type: 'reply-restart', id, why: 'The reply that counts is another one.' } as const;
    return [...told, restart, { type: 'text-delta', id, text }];
  }

  /** A piece of a reply that has ended, or that the reader did not see begin, says nothing. */
  private told(heard: readonly ReplyEvent[]): readonly ReplyEvent[] {
    const known = heard.filter(({ id }) => this.open.has(id));
    for (const event of known) {
      if (event.type === 'text-delta') this.open.set(event.id, `${this.open.get(event.id)}${event.text}`);
      if (event.type === 'reply-restart') this.open.set(event.id, '');
    }
    return known;
  }
}

function eventOf(id: EffectId, delta: ModelDelta): ReplyEvent {
  switch (delta.type) {
    case 'text':
      return { type: 'text-delta', id, text: delta.text };
    case 'reasoning':
      return { type: 'reasoning-delta', id, text: delta.text };
    case 'tool-call': {
      const { type: _type, ...call } = delta;
      return { type: 'tool-call-delta', id, call };
    }
    case 'restart':
      return { type: 'reply-restart', id, why: delta.why };
    default:
      return unreachable(delta);
  }
}
