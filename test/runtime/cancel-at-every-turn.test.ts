import { done, type Outcome, type Run, type Tool } from 'flyball';
import { turns } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { moving, RUN } from './stage.js';

const shapes: Readonly<
  Record<
    string,
    (run: Run, input: unknown, act: (run: Run, n: number) => Promise<unknown>) => Promise<Outcome<unknown>>
  >
> = {
  'in a row': async (run, _input, act) => {
    for (let n = 0; n < 4; n++) await act(run, n);
    return done(null);
  },
  'in the next generation': async (run, input, act) => {
    if (input === null) {
      await act(run, 0);
      run.continueWith('next');
    }
    await act(run, 1);
    await act(run, 2);
    return done(null);
  },
  'side by side in the next generation': async (run, input, act) => {
    if (input === null) {
      await act(run, 0);
      run.continueWith('next');
    }
    await run.all(
      [1, 2].map((n) => (branch: Run) => act(branch, n)),
      2,
    );
    return done(null);
  },
};

describe.each(Object.entries(shapes))('a cancellation that comes at any moment, with acts %s', (_, shape) => {
  it('is the last thing before the rollback: nothing is intended and no body runs after it [R7-CANCEL-LAST]', async () => {
    const late: string[] = [];
    for (let after = 1; after < 9; after++)
      for (let wait = 0; wait < 5; wait++) {
        const stage = moving();
        const mail: Tool<{ n: number }, number> = {
          name: 'mail',
          description: 'Sends a mail.',
          effect: 'idempotent',
          execute: ({ n }) => new Promise((sent) => stage.clock.after(4, () => sent(n))),
        };
        const { runtime, start } = stage.open((run: Run, input: unknown) =>
          shape(run, input, (on, n) => on.call(mail, { n })),
        );
        let seen = 0;
        runtime.subscribe((_id, entries) => {
          const before = seen;
          seen += entries.length;
          if (before <= after && after < seen)
            void turns(wait)
              .then(() => runtime.cancel(RUN, { by: 'op' }))
              .catch(() => undefined); // it had ended
        });
        await start();
        const kinds = (await stage.entries()).map(({ event }) => (event.type === 'intent' ? event.of : event.type));
        const cancelled = kinds.indexOf('cancel');
        if (cancelled !== -1 && kinds.indexOf('call', cancelled) !== -1) late.push(`${after} + ${wait}: ${kinds}`);
      }
    expect(late).toEqual([]);
  });
});
