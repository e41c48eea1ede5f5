/** A worker whose runs Restate hands out. Set DATABASE_URL to run it. */

// #region program
import { postgresEngine } from '@flyball/postgres';
import { restateDispatcher } from '@flyball/restate';
import { type Agent, budget, createRuntime, done } from 'flyball';

const greeter: Agent<string, string> = async (run, name) =>
  done(await run.step('greet', name, (of) => `Hello, ${of}.`, 'pure'));

const engine = await postgresEngine({ url: process.env['DATABASE_URL'] ?? 'postgres://localhost/flyball' });
const dispatcher = restateDispatcher({ url: 'restate://localhost:8080' });
const runtime = createRuntime({ engine, dispatcher, agents: { greeter } });
await dispatcher.ready();

const handle = await runtime.start('greeter', 'Ada', { budget: budget() });
console.log(await handle.finished());

await runtime.close();
await dispatcher.close();
await engine.close();
// #endregion
