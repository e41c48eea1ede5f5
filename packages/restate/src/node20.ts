interface Resolvers {
  readonly promise: Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/**
 * Restate's library needs one function of the language that Node 20 lacks: without it, each call hangs. It is added as
 * the standard has it, when a dispatcher is made and not when this package is only loaded.
 */
export function completePromise(): void {
  const incomplete = Promise as unknown as { withResolvers?: () => Resolvers };
  incomplete.withResolvers ??= () => {
    let resolve: Resolvers['resolve'] = () => undefined;
    let reject: Resolvers['reject'] = () => undefined;
    const promise = new Promise<unknown>((yes, no) => {
      resolve = yes;
      reject = no;
    });
    return { promise, resolve, reject };
  };
}
