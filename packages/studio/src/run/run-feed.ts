import type { EffectId, Entry } from '../../../flyball/src/core/events.js';
import type { ModelDelta } from '../../../flyball/src/core/model.js';
import type { StreamEvent } from '../api/sse-parser.js';
import type { RunCard } from '../api/types.js';
import { FrameBatch, type Schedule } from '../live/frame.js';
import { newer } from '../store/runs-order.js';
import { follows, positionOf } from './journal-reader.js';
import type { RunInputs } from './run-model.js';

interface Delta {
  readonly effect: EffectId;
  readonly attempt: number;
  readonly delta: ModelDelta;
}

type Arrival =
  | { readonly kind: 'entry'; readonly entry: Entry }
  | { readonly kind: 'card'; readonly card: RunCard }
  | { readonly kind: 'delta'; readonly delta: Delta };

/** Text of one open call that is kept while it arrives: enough to read along, whatever a model sends. */
const ARRIVING_LENGTH = 20_000;

/** A tab holds this many entries in a few hundred megabytes; what is longer is read with the API or the command line. */
export const MOST_ENTRIES = 100_000;

/** Puts what a stream of a run says into the model: every entry once and in order, once a frame. */
export class RunFeed {
  private readonly inputs: RunInputs;
  private readonly batch: FrameBatch<Arrival>;
  /** The last entry received, which may not be shown yet. */
  private last: Entry | undefined;
  private received = 0;

  constructor(inputs: RunInputs, schedule?: Schedule) {
    this.inputs = inputs;
    this.batch = new FrameBatch(
      (arrivals) => this.show(arrivals),
      schedule,
      () => inputs.entries.peek().length,
    );
  }

  /** Throws for an entry that does not follow the last one: the stream then connects again after that one. */
  receive({ event, data }: StreamEvent): 'stop' | undefined {
    switch (event) {
      case 'entry': {
        const entry = JSON.parse(data) as Entry;
        if (follows(this.last, entry) === 'known') return undefined;
        if (this.received === MOST_ENTRIES) {
          this.inputs.isCut.value = true;
          return 'stop';
        }
        this.received++;
        this.last = entry;
        this.batch.add({ kind: 'entry', entry });
        return undefined;
      }
      case 'card':
        this.batch.add({ kind: 'card', card: JSON.parse(data) as RunCard });
        return undefined;
      case 'delta':
        this.batch.add({ kind: 'delta', delta: JSON.parse(data) as Delta });
        return undefined;
      case 'end':
        return 'stop';
      default:
        return undefined; // a newer server may tell more
    }
  }

  lastId(): string | undefined {
    return this.last === undefined ? undefined : positionOf(this.last);
  }

  flush(): void {
    this.batch.flush();
  }

  /** An answer that was asked for before something changed may come after the stream has told of it. */
  takeCard(card: RunCard): void {
    this.inputs.card.value = newer(this.inputs.card.peek(), card);
  }

  private show(arrivals: readonly Arrival[]): void {
    const entries = arrivals.flatMap((arrival) => (arrival.kind === 'entry' ? [arrival.entry] : []));
    const card = arrivals.findLast((arrival) => arrival.kind === 'card')?.card;
    if (entries.length > 0) this.inputs.entries.value = this.inputs.entries.peek().concat(entries);
    if (card !== undefined) this.takeCard(card);
    this.showArriving(arrivals);
  }

  private showArriving(arrivals: readonly Arrival[]): void {
    const before = this.inputs.arriving.peek();
    const next = new Map(before);
    for (const arrival of arrivals) {
      if (arrival.kind === 'delta') grow(next, arrival.delta);
      // its end is in the journal now, or it begins again
      else if (arrival.kind === 'entry' && isAsk(arrival.entry)) next.delete(arrival.entry.event.id);
    }
    if (next.size > 0 || before.size > 0) this.inputs.arriving.value = next;
  }
}

/** The answer only: reasoning and parts of calls are shown whole, once they are in the journal. */
function grow(texts: Map<EffectId, string>, { effect, delta }: Delta): void {
  if (delta.type === 'restart') texts.delete(effect);
  if (delta.type === 'text') texts.set(effect, `${texts.get(effect) ?? ''}${delta.text}`.slice(-ARRIVING_LENGTH));
}

function isAsk(
  entry: Entry,
): entry is Entry & { readonly event: { readonly type: 'ask-start' | 'ask-end'; readonly id: string } } {
  return entry.event.type === 'ask-start' || entry.event.type === 'ask-end';
}
