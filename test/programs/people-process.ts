/**
 * A process that starts one run of people-agents.ts, says how it rests, and stays alive until it is killed:
 *
 *   node people-process.js <database> <run> <agent> <input as JSON>
 */
import { fileURLToPath } from 'node:url';
import { budget, createRuntime, type Runtime } from 'flyball';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { agents } from './people-agents.js';

const [path = '', id = '', agent = '', input = 'null'] = process.argv.slice(2);
const source = fileURLToPath(new URL('./people-agents.js', import.meta.url));
const engine = await sqliteEngine({ path, pollMs: 10 });
const runtime: Runtime = createRuntime({ engine, agents });
const say = (what: string) => process.stdout.write(`${what}\n`);
runtime.subscribe((_run, entries) => {
  for (const { event } of entries) if (event.type === 'wait-start') say(`waits ${event.kind}`);
});
const handle = await runtime.start(agent, JSON.parse(input), { id, source, budget: budget({}) });
handle.outcome().then(
  ({ stop }) => say(`rests ${stop}`),
  (error: unknown) => say(`broke ${String(error)}`),
);
setInterval(() => undefined, 1000);
