/** The world outside, as tools and steps of a scenario reach it. It outlives every crash, and a dead process cannot act on it. */
export interface Outside {
  /** Something takes place, under the key of the effect. Never returns in a process that died before. */
  act(what: string, how: { readonly key: string }): Promise<void>;
  /** Something is undone, under the key of the compensation. */
  undo(what: string, how: { readonly key: string }): Promise<void>;
  /** Whether the act under this key took place: what a tool's `verify` asks. */
  has(key: string): boolean;
  /** A value that outlives the process: made once a play, the same in every life of it. */
  keep<T>(name: string, create: () => T): T;
}

export interface ActMade {
  readonly what: string;
  readonly key: string;
}

/** Keeps what took place, in order. */
export class OutsideLedger {
  readonly acts: ActMade[] = [];
  readonly undone: ActMade[] = [];
  /** Called inside each act, while it is in flight, with its number from 1. */
  onAct: (n: number) => Promise<void> = async () => undefined;
  private readonly kept = new Map<string, unknown>();

  /** The world as one life of the process sees it. */
  seenBy(isDead: () => boolean): Outside {
    const record = async (list: ActMade[], what: string, key: string): Promise<void> => {
      if (isDead()) return new Promise(() => undefined);
      list.push({ what, key });
    };
    return {
      act: async (what, { key }) => {
        await record(this.acts, what, key);
        await this.onAct(this.acts.length);
      },
      undo: (what, { key }) => record(this.undone, what, key),
      has: (key) => this.acts.some((act) => act.key === key),
      keep: <T>(name: string, create: () => T): T => {
        if (!this.kept.has(name)) this.kept.set(name, create());
        return this.kept.get(name) as T;
      },
    };
  }

  /** What took place, each key once, sorted: an idempotent act may be repeated under its key. */
  names(): readonly string[] {
    return [...new Map(this.acts.map(({ what, key }) => [`${what} ${key}`, what])).values()].sort();
  }
}
