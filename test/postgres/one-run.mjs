/** The program of the README on PostgreSQL: one run, and then it closes its runtime. */
import { postgresEngine } from '@flyball/postgres';
import { budget, createRuntime, done } from 'flyball';

const [url = '', schema = ''] = process.argv.slice(2);
const engine = await postgresEngine({ url, schema, onNotice: () => undefined });
const runtime = createRuntime({ engine, agents: { echo: async (_run, /** @type {unknown} */ input) => done(input) } });
const handle = await runtime.start('echo', 'hello', { budget: budget({}) });
console.log((await handle.outcome()).stop);
await runtime.close();
