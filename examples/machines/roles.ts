/** Starts runs in one process and works on them in others. Set DATABASE_URL and ROLE (`api` or `worker`) to run it. */

// #region program
import { postgresEngine } from '@flyball/postgres';
import { type Agent, budget, createRuntime, done } from 'flyball';

const greeter: Agent<string, string> = async (run, name) =>
  done(await run.step('greet', name, (of) => `Hello, ${of}.`, 'pure'));

const engine = await postgresEngine({ url: process.env['DATABASE_URL'] ?? 'postgres://localhost/flyball' });
const startsOnly = process.env['ROLE'] === 'api';
const runtime = createRuntime({
  engine,
  agents: { greeter },
  options: { worker: startsOnly ? 'elsewhere' : { agents: ['greeter'], concurrency: 50, weight: 1 } },
});

if (startsOnly) {
  const handle = await runtime.start('greeter', 'Ada', { budget: budget() });
  console.log(await handle.finished()); // resolves when a worker has finished the run
} else {
  await new Promise((resolve) => process.once('SIGTERM', resolve)); // a worker takes runs until it is stopped
}
await runtime.close();
await engine.close();
// #endregion
