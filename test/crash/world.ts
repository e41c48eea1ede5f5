import { changed, type EffectClass, type Tool } from 'flyball';
import { type SeededRandom, seededRandom, turns } from 'flyball/testing';

/** What the effects of a crash test do: kept outside every run, so that it knows what really happened. */
export class World {
  /** How often each effect was really made, by idempotency key. */
  readonly made = new Map<string, number>();
  readonly undone = new Map<string, number>();
  readonly kindOf = new Map<string, string>();
  readonly tool: Tool<{ readonly seen: unknown }>;
  private readonly random: SeededRandom;
  private readonly failing = new Set<string>();
  private counter = 0;
  /** Whether the process that is acting is dead: a dead process does nothing more. */
  isDead: () => boolean = () => false;

  constructor(seed: number) {
    this.random = seededRandom(seed);
    this.tool = {
      name: 'lookup',
      description: 'Looks something up.',
      effect: 'pure',
      execute: async () => {
        await this.latency();
        return changed(`looked ${this.fresh()}`, { linesChanged: 1 });
      },
    };
  }

  /** Every real execution gives another value, as a sampled reply would. */
  fresh(): number {
    return ++this.counter;
  }

  async latency(): Promise<void> {
    await turns(this.random.int(4));
  }

  async execute(key: string, kind: string, fails: boolean): Promise<unknown> {
    const isDead = this.isDead; // of the process this body belongs to
    await this.latency();
    if (isDead()) return new Promise(() => {});
    if (fails && this.failing.size % 3 === 0 && !this.failing.has(key)) {
      this.failing.add(key);
      throw new Error('the world said no');
    }
    if (kind !== 'pure') {
      this.kindOf.set(key, kind);
      if (kind === 'idempotent' && this.made.has(key)) return `again ${key}`;
      this.made.set(key, (this.made.get(key) ?? 0) + 1);
    }
    const value = `${kind} ${this.fresh()}`;
    await this.latency();
    return isDead() ? new Promise(() => {}) : value;
  }

  rules(kind: string): EffectClass<unknown, unknown> {
    const verify = async (_input: unknown, how: { readonly key: string }) =>
      this.made.has(how.key)
        ? ({ happened: 'yes', result: `verified ${how.key}` } as const)
        : ({ happened: 'no' } as const);
    const compensate = async (_input: unknown, _result: unknown, how: { readonly key: string }): Promise<void> => {
      const isDead = this.isDead;
      await this.latency();
      if (isDead()) return new Promise(() => {});
      this.undone.set(how.key, (this.undone.get(how.key) ?? 0) + 1);
    };
    switch (kind) {
      case 'idempotent':
        return { class: 'idempotent', timeoutMs: 1000 };
      case 'undoable':
        return { class: 'undoable', compensate, verify, timeoutMs: 1000 };
      case 'unverified':
        return { class: 'undoable', compensate, timeoutMs: 1000 };
      case 'irreversible':
        return { class: 'irreversible', verify, timeoutMs: 1000 };
      default:
        return 'pure';
    }
  }
}
