import { strict as assert } from 'node:assert';
import { budget, createRuntime, memoryEngine, type Session, withoutValue } from 'flyball';
import { directCall, pattern, reAct, reflexion, shaped, useOf, usesIn, withBudget } from 'flyball/patterns';
import { scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { patternsIn } from 'flyball/views';
import { z } from 'zod';

/** A small system of five patterns: it reads what changed, writes release notes until they fit, and publishes them once. */

const changes = tool({
  name: 'list_changes',
  description: 'Lists what changed since a version. Not for what is planned.',
  input: z.object({ since: z.string() }),
  effect: 'pure',
  execute: async ({ since }) => `since ${since}: exports to CSV; a crash at login is gone`,
});
const long = { title: 'Release 2.1', text: 'We are delighted to announce a release with many, many changes.' };
const short = { title: 'Release 2.1', text: 'Export to CSV. Login no longer crashes.' };
const model = scriptedModel({
  writer: [
    { toolCalls: [{ id: 'a', name: 'list_changes', arguments: '{"since":"2.0"}' }] },
    JSON.stringify(long),
    { toolCalls: [{ id: 'b', name: 'list_changes', arguments: '{"since":"2.0"}' }] },
    JSON.stringify(short),
  ],
  critic: 'It praises instead of naming what changed. Name each change in one short sentence.',
});
const session = (name: string, setup: string): Session => ({ name, model, setup });
const published: string[] = [];

// #region shaped
const Notes = z.strictObject({ title: z.string(), text: z.string() });
const writer = shaped(session('writer', 'You write release notes.'), Notes); // S6: Session<{ title, text }>
// #endregion

// #region reAct
const draft = reAct({ worker: writer, tools: [changes] }, { maxIterations: 6 }); // R4: Agent<Input, { title, text }>
// #endregion

// #region reflexion
const concise = reflexion(
  draft,
  {
    test: (_run, { text }) => (text.length <= 50 ? { ok: true } : { ok: false, because: 'It is too long.' }),
    critic: session('critic', 'You find out why drafts fail.'),
  },
  { maxAttempts: 3 },
); // R7: the same types as `draft`
// #endregion

// #region withBudget
const affordable = withBudget(concise, { modelCalls: 12, costUsd: 0.2 }); // V9: ends `bounded` there, with its best draft
// #endregion

// #region directCall
const publish = directCall({
  name: 'publish',
  input: Notes,
  effect: 'idempotent',
  send: async ({ title, text }) => {
    published.push(`${title}: ${text}`); // a request to your site
    return { url: 'https://example.com/releases/2.1' };
  },
}); // I1: no model can decide to make this call, or how
// #endregion

// #region pattern
const release = pattern(
  {
    id: 'O2',
    name: 'release',
    provides: ['S6', 'V20'], // the writer's replies have a shape, and the schema of the tool checks what is published
    parts: { writer: affordable, publish },
    calls: { sum: [{ part: 'writer' }, { part: 'publish' }] },
  },
  async (run, since: string) => {
    const notes = await affordable(run, `Write the notes of what changed since ${since}.`);
    return notes.stop === 'done' ? publish(run, notes.value) : withoutValue(notes);
  },
); // Agent<string, { url }>
// #endregion

// #region before
const uses = usesIn(useOf(release) ?? assert.fail('release describes itself'));
assert.deepEqual(
  uses.map(({ id, name }) => `${id} ${name}`),
  ['O2 release', 'V9 withBudget', 'R7 reflexion', 'R4 reAct', 'K6 compression', 'I1 directCall'],
);
assert.equal(uses[0]?.predicted.min, 0);
// #endregion

// #region run
const runtime = createRuntime({ engine: memoryEngine(), agents: { release } });
const handle = await runtime.start('release', '2.0', { budget: budget({ modelCalls: 20 }) });
const outcome = await handle.outcome();
assert.equal(outcome.stop === 'done' && outcome.value.url, 'https://example.com/releases/2.1');
assert.deepEqual(published, ['Release 2.1: Export to CSV. Login no longer crashes.']);
// #endregion

// #region after
const spans = patternsIn(await runtime.entries(handle.id));
const tried = spans.find(({ pattern: name }) => name === 'reflexion');
assert.deepEqual(tried?.learned, { attempts: 2, critiques: 1 });
assert.equal(tried?.modelCalls, 5); // two drafts of two calls, one critique: inside what was predicted
// #endregion
await runtime.close();

console.log(`Published: ${published.join()}`);
