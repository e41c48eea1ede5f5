import type { AroundBody } from '../../runtime/host.js';

type Result = { readonly value: unknown } | { readonly error: unknown };

/**
 * What every effect gave in the first play. Later plays are given the same, so that only the code of the agent can make
 * a difference, and not a model, a clock or a counter in the world.
 */
export class KnownResults {
  private readonly results = new Map<string, Result>();
  private isKept = true;

  readonly around: AroundBody = <T>(key: string, body: () => Promise<T> | T) => {
    const known = this.results.get(placeOf(key));
    if (known === undefined) return this.keep(placeOf(key), body);
    if ('error' in known) return Promise.reject(known.error);
    return Promise.resolve(known.value as T);
  };

  /** From here on results are given, and what is not known is only made. */
  seal(): void {
    this.isKept = false;
  }

  private async keep<T>(place: string, body: () => Promise<T> | T): Promise<T> {
    try {
      const value = await body();
      if (this.isKept) this.results.set(place, { value });
      return value;
    } catch (error) {
      if (this.isKept) this.results.set(place, { error });
      throw error;
    }
  }
}

/** Generation and effect: a fork of the run has an id of its own. */
function placeOf(key: string): string {
  return key.slice(key.indexOf(':') + 1);
}
