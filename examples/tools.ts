import { strict as assert } from 'node:assert';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Agent, budget, createRuntime, done, memoryEngine, type ToolRef } from 'flyball';
import { toolsFromFolder, toolsFromYaml } from 'flyball/adapters/definitions';
import { executeValidated, lintTools, loadTools, tool, toolBudget, toolRegistry } from 'flyball/tools';
import { z } from 'zod';

/** How a tool is made, how patiently it is called, and how sessions get to see it. */

const desk = new URL('../../../examples/desk/', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'flyball-tools-'));
const TOTALS: Readonly<Record<string, number>> = { A1: 40 };

// #region zod
const orderTotal = tool({
  name: 'order_total',
  description: 'What an order costs, in euros. Not for its state: use look_up_order.',
  input: z.object({ number: z.string().describe('such as A1') }),
  effect: 'pure',
  legs: ['private-data'],
  execute: async ({ number }) => TOTALS[number] ?? 'there is no such order', // `number` is a string to the compiler
});
// #endregion

// #region json-schema
// the compiler cannot read JSON Schema: annotate with a type (an interface does not work)
type Note = { readonly name: string; readonly text: string };
const pathOf = ({ name }: Note) => join(folder, `${name}.txt`);

const writeNote = tool({
  name: 'write_note',
  description: 'Writes a note for a colleague. Not for customers, who cannot read it.',
  input: {
    type: 'object',
    properties: {
      name: { type: 'string', pattern: '^[a-z]+$', description: 'one word in small letters' },
      text: { type: 'string', description: 'what it says' },
    },
    required: ['name', 'text'],
    additionalProperties: false,
  },
  effect: 'undoable',
  timeoutMs: 5_000,
  scopes: ['notes:write'],
  reserve: ({ text }: Note) => ({ filesChanged: 1, linesChanged: text.split('\n').length }),
  touches: (note: Note) => ({ writes: [{ path: pathOf(note), lines: note.text.split('\n').length }] }),
  execute: async (note: Note) => {
    writeFileSync(pathOf(note), note.text);
    return `written: ${note.name}`;
  },
  // asserts a state ("there is no such file"), so running it twice changes nothing
  compensate: async (note: Note) => rmSync(pathOf(note), { force: true }),
  // after a crash, checks whether the file was written
  verify: async (note: Note) =>
    existsSync(pathOf(note)) && readFileSync(pathOf(note), 'utf8') === note.text
      ? { happened: 'yes', result: `written: ${note.name}` }
      : { happened: 'no' },
});
// #endregion

// #region patience
let tries = 0;
const stock = tool({
  name: 'stock',
  description: 'How many of an item are in store. Not for prices.',
  input: z.object({ item: z.string().describe('its name') }),
  effect: 'idempotent',
  timeoutMs: 2_000, // for each attempt
  retry: { retries: 2, baseDelayMs: 1, jitterMs: 1, breaker: { failures: 5, openMs: 30_000 } },
  execute: async ({ item }, { key, signal }) => {
    signal.throwIfAborted();
    tries += 1;
    if (tries < 3) throw Object.assign(new Error('the warehouse is busy'), { retryable: true });
    return { item, left: 7, key }; // the same key with every attempt
  },
});
// #endregion

const clerk: Agent<null, readonly unknown[]> = async (run) => {
  const total = await run.call(orderTotal, { number: 'A1' });
  const note = await run.call(writeNote, { name: 'bergen', text: 'Call Bergen.' });
  const left = await run.call(stock, { item: 'lamp' });
  const wrong = await run.call(orderTotal as ToolRef, { number: 1 }); // as a model might
  assert(total.ok && note.ok && left.ok && !wrong.ok);
  return done([total.value, note.value, left.value, wrong.failure]);
};

// #region registry
const registry = toolRegistry([orderTotal, writeNote, stock]);
registry.registerAll(await toolsFromFolder(join(desk, 'tools'))); // every module in the folder, sorted by name
const { entries, metadata } = await toolsFromYaml(join(desk, 'tools.yaml')); // tools and metadata from a file
registry.registerAll(entries);
metadata.forEach(registry.describe);

const view = registry.toolset({ include: ['order_total', 'greeting', 'stock'] }); // the tools of one session
// #endregion

// #region by-name
const caller: Agent<null, readonly string[]> = async (run) => {
  const fine = await executeValidated(run, view, 'greeting', { name: 'Ada' });
  const hidden = await executeValidated(run, view, 'write_note', { name: 'x', text: 'y' });
  const typo = await executeValidated(run, view, 'order_totl', { number: 'A1' });
  return done([fine, hidden, typo].map(({ content }) => content)); // observations, not exceptions
};
// #endregion

const runtime = createRuntime({ engine: memoryEngine(), agents: { clerk, caller } });
const first = await runtime.start('clerk', null, { budget: budget() });
const outcome = await first.outcome();
assert(outcome.stop === 'done');
const [total, note, left, wrong] = outcome.value as readonly Readonly<Record<string, unknown>>[];
assert.equal(total, 40);
assert.equal(note, 'written: bergen');
assert.equal(left?.['left'], 7);
assert.equal(tries, 3);
assert.equal(wrong?.['code'], 'INPUT_INVALID');
assert.equal(outcome.usage?.filesChanged, 1);
const retries = (await runtime.entries(first.id)).filter(({ event }) => event.type === 'retry');
assert.equal(retries.length, 2); // each told in the journal

const second = await (await runtime.start('caller', null, { budget: budget() })).outcome();
assert(second.stop === 'done');
const [fine, hidden, typo] = second.value;
assert.equal(fine, 'Dear Ada,');
assert.match(hidden ?? '', /^Not executed: there is no tool "write_note"/);
assert.match(typo ?? '', /Did you mean order_total\?/);
assert.deepEqual(registry.toolset().get('greeting')?.scopes, ['letters:write']); // the file said so

// #region tool-budget
const loaded = loadTools({
  toolset: registry.toolset(),
  window: 8_192, // of the model
  strategy: 'dynamic', // above the warning limit, only the tools that fit the task
  task: 'Is the lamp in stock?',
  budget: toolBudget({ warnAbove: 2, refuseAbove: 3 }), // 15 and 40 by default
});
assert(loaded.ok);
assert.deepEqual(loaded.toolset.names, ['stock']);
// #endregion
assert.deepEqual(lintTools(registry.toolset().tools), []);

await runtime.close();
rmSync(folder, { recursive: true });
console.log(`tools: ${registry.names().join(', ')}; the warehouse answered at try ${tries}`);
