import type { Runtime } from 'flyball';
import { patternsIn } from 'flyball/views';
import type { PromptPiece, RunJournal } from '../../packages/flyball/src/catalogue/journal.js';
import { linksOf } from '../../packages/flyball/src/core/prompt.js';

type Read = Pick<Runtime, 'entries' | 'prompt'>;

/** What happened in a run, with everything that was asked in it. */
export async function journalIn(runtime: Read, run: string): Promise<RunJournal> {
  const entries = await runtime.entries(run);
  const prompts = new Map<string, readonly PromptPiece[]>();
  for (const { event } of entries)
    if (event.type === 'ask-start')
      prompts.set(
        event.tip,
        linksOf(await runtime.prompt(run, event.tip)).map(({ segment }) => segment),
      );
  return { run, entries, spans: patternsIn(entries), prompts };
}

/** The same runtime, which hands over the journals of the runs that it started before it is closed. */
export function watched<R extends Runtime>(runtime: R, seen: (journal: RunJournal) => void): R {
  const started: string[] = [];
  const changed = {
    start: async (...given: Parameters<Runtime['start']>) => {
      const handle = await runtime.start(...given);
      started.push(handle.id);
      return handle;
    },
    close: async () => {
      for (const run of started) seen(await journalIn(runtime, run));
      await runtime.close();
    },
  };
  return new Proxy(runtime, {
    get: (target, key) => {
      const own: unknown = Reflect.get(key in changed ? changed : target, key);
      return typeof own === 'function' ? own.bind(target) : own;
    },
  });
}
