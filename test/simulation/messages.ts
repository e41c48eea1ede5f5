import type { Batch, StoredMessage } from '../../packages/flyball/src/ports/engine.js';
import type { Told } from './known.js';

type Message = Pick<StoredMessage, 'number' | 'kind' | 'id'>;

const DECIDES: ReadonlySet<StoredMessage['kind']> = new Set(['pause', 'resume', 'cancel']);

/** What one run was sent and what it said of it: a message leaves the inbox with the write that says what became of it. */
export class Messages {
  private readonly kept = new Map<number, Message>();
  /** Ids of signals and answers that its journal names. */
  private readonly named = new Set<string>();
  private redirects = { taken: 0, heard: 0 };
  private cancels = { taken: 0, heard: 0 };
  private fence = 0;
  /** Of what lies in the inbox, what decides whether it goes on. */
  private decides: readonly StoredMessage['kind'][] = [];

  accepted(messages: readonly Message[]): void {
    for (const message of messages) this.kept.set(message.number, message);
    this.decides = messages.map(({ kind }) => kind).filter((kind) => DECIDES.has(kind));
  }

  /** Whoever wanted it to go on wants it to rest again. A cancellation is not taken back: it goes on to be cancelled. */
  get isTakenBack(): boolean {
    return this.decides.at(-1) === 'pause' && !this.decides.includes('cancel');
  }

  /** Answers what was lost. */
  written(fence: number, events: readonly Told[], { taken = [] }: Batch): readonly string[] {
    const types = new Set(events.map(({ type }) => type));
    for (const { type, signal } of events) {
      if (type === 'redirect') this.redirects.heard++;
      if (type === 'cancel') this.cancels.heard++;
      if (signal !== undefined) this.named.add(signal);
    }
    // who resumes a run takes the pauses before it back, in the first write of a life and before it begins
    const isWish = fence !== this.fence && !types.has('attempt-start');
    const isRest = ['run-pause', 'run-resume', 'run-end'].some((type) => types.has(type));
    this.fence = fence;
    return taken.flatMap((number) => {
      const message = this.kept.get(number);
      this.kept.delete(number);
      return message === undefined || this.isSaid(message, isWish || isRest) ? [] : [`${message.kind} ${message.id}`];
    });
  }

  private isSaid({ kind, id }: Message, isPauseOver: boolean): boolean {
    switch (kind) {
      case 'pause':
        return isPauseOver;
      case 'redirect':
        return ++this.redirects.taken <= this.redirects.heard;
      case 'cancel':
        return this.cancels.heard > 0;
      case 'signal':
      case 'answer':
        return this.named.has(id);
      case 'resume':
        return true;
    }
  }
}
