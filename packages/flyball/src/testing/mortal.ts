/** A process that can die inside this one: its code may go on running, but nothing outside ever answers it again. */
export interface Mortal<Why> {
  /** Resolves with the cause of death. */
  readonly crashed: Promise<Why>;
  isDead(): boolean;
  /** Called once at the crash, at once when it has happened already. */
  onCrash(listener: (why: Why) => void): void;
  /**
   * Does the work only while alive, and returns only when still alive after it. Wrap what stands for the world in a
   * crash test with it, a tool's effect say: a killed process would not have gone on to make it.
   */
  whileAlive<T>(work: () => Promise<T> | T): Promise<T>;
}

export function mortal<Why>(): Mortal<Why> & { die(why: Why): void } {
  let death: { readonly why: Why } | undefined;
  let announce: (why: Why) => void = () => {};
  const listeners = new Set<(why: Why) => void>();
  const crashed = new Promise<Why>((resolve) => {
    announce = resolve;
  });

  return {
    crashed,
    isDead: () => death !== undefined,
    onCrash(listener) {
      if (death === undefined) listeners.add(listener);
      else listener(death.why);
    },
    async whileAlive(work) {
      if (death !== undefined) return never();
      try {
        const result = await work();
        return death === undefined ? result : never();
      } catch (error) {
        if (death !== undefined) return never();
        throw error;
      }
    },
    die(why) {
      if (death !== undefined) return;
      death = { why };
      for (const listener of listeners) listener(why);
      listeners.clear();
      announce(why);
    },
  };
}

function never<T>(): Promise<T> {
  return new Promise<T>(() => {});
}
