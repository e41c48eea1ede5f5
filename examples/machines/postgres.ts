/** A run whose journal is in PostgreSQL. Set DATABASE_URL to run it. */

// #region program
import { postgresEngine } from '@flyball/postgres';
import { type Agent, budget, createRuntime, done } from 'flyball';

const greeter: Agent<string, string> = async (run, name) =>
  done(await run.step('greet', name, (of) => `Hello, ${of}.`, 'pure'));

const engine = await postgresEngine({ url: process.env['DATABASE_URL'] ?? 'postgres://localhost/flyball' });
const runtime = createRuntime({ engine, agents: { greeter } });

const handle = await runtime.start('greeter', 'Ada', { budget: budget() });
console.log(await handle.outcome());

await runtime.close();
await engine.close();
// #endregion
