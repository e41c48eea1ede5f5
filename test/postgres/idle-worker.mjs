/** A worker as a process of its own, which nothing but its engine keeps open. It waits for runs of `echo`. */
import { postgresEngine } from '@flyball/postgres';
import { createRuntime, done } from 'flyball';

const [url = '', schema = ''] = process.argv.slice(2);
const engine = await postgresEngine({ url, schema, pollMs: 300, onNotice: () => undefined });
createRuntime({
  engine,
  agents: { echo: async (_run, /** @type {unknown} */ input) => done(input) },
  onProblem: () => undefined,
  options: { pollMs: 60_000 }, // it asks for nothing by itself: no call is under way when the server stops
});
