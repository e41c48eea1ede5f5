import type { Recorded } from './recorded.js';

/** What time it is for the code: that of the last delivered completion, or of the life that lives the turn after it. */
export class CodeTime {
  private readonly times: Recorded['times'];
  private at: number;
  private began: number;

  constructor({ times, lastAt }: Pick<Recorded, 'times' | 'lastAt'>) {
    this.times = times;
    this.began = lastAt;
    this.at = times.first ?? lastAt;
  }

  get now(): number {
    return this.at;
  }

  /** When this life began. */
  get lifeBegan(): number {
    return this.began;
  }

  livesFrom(at: number): void {
    this.began = at;
  }

  /** The code starts from the top. */
  start(): void {
    this.at = this.times.first ?? this.began;
  }

  /** A delivery from history: the journal says in which life its turn was lived; otherwise it is this one. */
  replayed(index: number, at: number): void {
    this.at = this.times.each[index] ?? Math.max(at, this.began);
  }

  happened(at: number): void {
    this.at = at;
  }

  /** What the code does from here on, it does in a life that began then. */
  notBefore(at: number): void {
    this.at = Math.max(this.at, at);
  }
}
