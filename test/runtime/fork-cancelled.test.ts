import { done, type Run, type Tool } from 'flyball';
import { forkPoints } from 'flyball/views';
import { describe, expect, it } from 'vitest';
import { toTheEnd } from './fork-stage.js';
import { gate, moving, RUN } from './stage.js';

type Kind = 'pure' | 'idempotent' | 'undoable';

/** Waits at first, until it is stopped; after that it acts. */
function hesitating(kind: Kind) {
  const begun = gate();
  const made: string[] = [];
  let calls = 0;
  const compensate = async (): Promise<void> => undefined;
  const tool: Tool<null, string> = {
    name: 'act',
    description: 'Acts.',
    effect: kind === 'undoable' ? { class: kind, verify: async () => ({ happened: 'no' }), compensate } : kind,
    execute: (_input, { key, signal }) => {
      if (++calls > 1) {
        made.push(key);
        return Promise.resolve('made');
      }
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        begun.open();
      });
    },
  };
  return { tool, made, begun: begun.opened };
}

describe.each(['pure', 'idempotent', 'undoable'] as const)(
  'a fork of a run that was cancelled while it called something %s',
  (kind) => {
    it('goes on as if nobody had cancelled it, wherever it begins [R7-KILLS-CANCELLED]', async () => {
      const stage = moving();
      const { tool, made, begun } = hesitating(kind);
      const life = stage.open(async (run: Run) => {
        const child = await run.spawn(
          async (on: Run) => {
            try {
              return done((await on.call(tool, null)).content);
            } catch (error) {
              on.note({ kind: 'gave-up' }); // told on the way out
              throw error;
            }
          },
          null,
          {},
        );
        run.note({ kind: 'came-back' });
        return done('value' in child ? child.value : child.stop);
      });
      const ended = life.start();
      await begun;
      await life.runtime.cancel(RUN, { by: 'ann' });
      expect(await ended).toMatchObject({ stop: 'cancelled' });
      const entries = await stage.entries();
      const points = forkPoints(entries);
      expect(points.at(-1)).toBe(entries.at(-1)?.seq);
      for (const at of points) {
        const id = `fork-${at}`;
        await life.runtime.fork(RUN, { id, at, live: true, by: 'fay' });
        expect(await toTheEnd(life, id), id).toMatchObject({ stop: 'done', value: 'made' });
        expect(made, id).toEqual([`${id}:0:/agent.0#0`]);
        expect(await stage.events('note', id), id).toMatchObject([{ event: { kind: 'came-back' } }]);
        made.length = 0;
      }
    });
  },
);
