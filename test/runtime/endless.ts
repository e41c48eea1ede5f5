import type { Outcome, Run, Tool } from 'flyball';

/** A tool that changes nothing and remembers what it was called with. */
export const counter = (): { readonly tool: Tool<number, number>; readonly executed: number[] } => {
  const executed: number[] = [];
  return {
    executed,
    tool: {
      name: 'count',
      description: 'Counts.',
      effect: 'pure',
      execute: async (n) => {
        executed.push(n);
        return n;
      },
    },
  };
};

/** Calls it until a bound ends that. */
export async function forever(run: Run, tool: Tool<number, number>): Promise<Outcome<unknown>> {
  for (let n = 0; ; n++) await run.call(tool, n);
}

/** Never ends by itself; tells when it began and why it was aborted. */
export function slow(begun: () => void, aborted: (reason: unknown) => void) {
  return (_input: unknown, { signal }: { readonly signal: AbortSignal }): Promise<never> =>
    new Promise((_resolve, reject) => {
      begun();
      signal.addEventListener('abort', () => {
        aborted(signal.reason);
        reject(signal.reason as Error);
      });
    });
}
