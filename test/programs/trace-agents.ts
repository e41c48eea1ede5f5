import { type Agent, done, type Tool } from 'flyball';
import { scriptedModel } from 'flyball/testing';

/** Three agents for the test of traces: one that starts two others, which ask a model and call a tool over HTTP. */

/** What must not be in any trace. */
export const PLANTED = 'sk-planted-0123456789abcdef';

const model = scriptedModel({ reader: () => 'read' }, { id: 'scripted/reader' });

const fetches = (url: string): Tool<{ readonly page: string }, string> => ({
  name: 'page',
  description: 'Fetches a page. Not for files.',
  effect: 'idempotent',
  execute: async ({ page }) => (await fetch(`${url}/${page}?key=${PLANTED}`)).text(),
});

const reader =
  (url: string): Agent<string, string> =>
  async (run, page) => {
    const { text } = await run.ask({ name: 'reader', model, setup: `The key is ${PLANTED}.` }, `Read ${page}.`);
    const { content } = await run.call(fetches(url), { page });
    return done(`${text} ${content}`);
  };

const both: Agent<null, readonly string[]> = async (run) => {
  const slice = { share: 0.3 };
  const started = [await run.start('left', 'first', { slice }), await run.start('right', 'second', { slice })];
  const said: string[] = [];
  for (const ref of started) {
    const outcome = await run.join<string>(ref);
    said.push(outcome.stop === 'done' ? outcome.value : outcome.stop);
  }
  return done(said);
};

export const traceAgents = (url: string) => ({ both, left: reader(url), right: reader(url) });
