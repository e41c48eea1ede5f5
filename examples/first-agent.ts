import { strict as assert } from 'node:assert';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
// #region imports
import { type Agent, budget, createRuntime, done, type Model } from 'flyball';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
// #endregion
import { scriptedModel } from 'flyball/testing';

const folder = mkdtempSync(join(tmpdir(), 'flyball-first-agent-'));

// any object that implements Model; here one that answers from a script
const model: Model = scriptedModel({ writer: 'The tide waits for no one.' });

// #region function
const writer = { name: 'writer', model, setup: 'You write one line of verse.' };

/** Asks the model for a verse and writes it to a file. A rollback deletes the file. */
const poet: Agent<{ topic: string; path: string }, string> = async (run, { topic, path }) => {
  const verse = await run.ask(writer, `A line about ${topic}.`);
  await run.step('write-verse', { path, text: verse.text }, (input) => writeFileSync(input.path, input.text), {
    class: 'undoable',
    compensate: async (input) => rmSync(input.path, { force: true }),
  });
  return done(verse.text);
};
// #endregion

// #region run
const engine = await sqliteEngine({ path: join(folder, 'runs.db') });
const runtime = createRuntime({
  engine,
  agents: { poet },
  prices: { 'scripted/model': { input: 3, output: 15 } }, // USD per million tokens; common models are built in
});

const input = { topic: 'tides', path: join(folder, 'verse.txt') };
const handle = await runtime.start('poet', input, { budget: budget({ modelCalls: 3, costUsd: 0.1 }) });
const outcome = await handle.outcome();
// #endregion

assert(outcome.stop === 'done');
assert.equal(outcome.value, 'The tide waits for no one.');
assert.equal(readFileSync(join(folder, 'verse.txt'), 'utf8'), outcome.value);
assert.equal(outcome.usage?.modelCalls, 1);

await runtime.close();
await engine.close();
rmSync(folder, { recursive: true });
console.log(`first-agent: ${handle.id} is done with "${outcome.value}"`);
