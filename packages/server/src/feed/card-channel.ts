import type { RunCard } from '../contract/resources.js';

const MOST_CARDS = 2_000;

/** The latest card of each run of a tenant that changed, in the order in which they did. Readers pull from here. */
export class CardChannel {
  readers = 0;
  private number = 0;
  /** Cards up to this one may have been forgotten. */
  private forgotten = 0;
  private readonly latest = new Map<
    string,
    { readonly number: number; readonly card: RunCard; readonly text: string }
  >();
  private waiting: (() => void)[] = [];

  get now(): number {
    return this.number;
  }

  /** Nothing happens for a card that says the same as before. */
  put(card: RunCard): void {
    const text = JSON.stringify(card);
    const before = this.latest.get(card.id);
    if (before?.text === text) return;
    this.latest.delete(card.id);
    this.latest.set(card.id, { number: ++this.number, card, text });
    if (this.latest.size > MOST_CARDS) this.forgetOldest();
    this.wake();
  }

  /** Cards after `number`, oldest change first; undefined for a reader that has missed some. */
  since(number: number): { readonly cards: readonly RunCard[]; readonly number: number } | undefined {
    if (number < this.forgotten) return undefined;
    const cards: RunCard[] = [];
    for (const held of [...this.latest.values()].reverse()) {
      if (held.number <= number) break;
      cards.push(held.card);
    }
    return { cards: cards.reverse(), number: this.number };
  }

  changed(number: number): Promise<void> {
    if (this.number !== number) return Promise.resolve();
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  wake(): void {
    for (const go of this.waiting.splice(0)) go();
  }

  private forgetOldest(): void {
    const [oldest] = this.latest;
    if (oldest === undefined) return;
    this.latest.delete(oldest[0]);
    this.forgotten = oldest[1].number;
  }
}
