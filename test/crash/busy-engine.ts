import type { Engine } from 'flyball';

const busy = new WeakMap<Engine, () => boolean>();

/**
 * An engine that answers from elsewhere: while it is asked something, time that is made up must not pass. The answer comes
 * over a socket, which looks the same whether anything is on its way or not.
 */
export function counted(engine: Engine): Engine {
  let asked = 0;
  const own = Object.fromEntries(
    Object.entries(engine).map(([name, value]) => {
      if (typeof value !== 'function' || name === 'watch') return [name, value];
      const ask = async (...given: readonly unknown[]): Promise<unknown> => {
        asked += 1;
        try {
          return await (value as (...all: readonly unknown[]) => Promise<unknown>)(...given);
        } finally {
          asked -= 1;
        }
      };
      return [name, ask];
    }),
  ) as unknown as Engine;
  busy.set(own, () => asked > 0);
  return own;
}

/** Whether an engine is being asked something. */
export function busyOf(engine: Engine): () => boolean {
  return busy.get(engine) ?? (() => false);
}
