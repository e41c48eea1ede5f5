import { strict as assert } from 'node:assert';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { budget, createRuntime, memoryEngine } from 'flyball';
import { toolLoop } from 'flyball/loops';
import { supervised } from 'flyball/patterns';
import { supervise } from 'flyball/people';
import { scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { z } from 'zod';

/** Somebody watches a run, stops it at a safe point, tells it to do something else, and in the end calls it off. */

const folder = mkdtempSync(join(tmpdir(), 'flyball-supervision-'));
const CHAPTERS = ['one', 'two', 'appendix', 'three'];
for (const chapter of CHAPTERS) writeFileSync(join(folder, chapter), 'as it was');
const texts = () => CHAPTERS.map((chapter) => readFileSync(join(folder, chapter), 'utf8'));

let letGo = () => {};
const interrupted = new Promise<void>((resolve) => {
  letGo = resolve;
});
const rewrite = tool({
  name: 'rewrite',
  description: 'Replaces the text of a chapter. Not for new chapters.',
  input: z.object({ chapter: z.string().describe('its name'), text: z.string().describe('all of it') }),
  effect: 'undoable',
  execute: async ({ chapter, text }) => {
    if (chapter === 'two') await interrupted; // so that this story is always the same
    writeFileSync(join(folder, chapter), text);
    return `${chapter} is rewritten`;
  },
  compensate: async ({ chapter }) => writeFileSync(join(folder, chapter), 'as it was'),
});
const print = tool({
  name: 'print',
  description: 'Sends the book to the printer. Not for drafts.',
  input: z.object({}),
  effect: 'irreversible',
  execute: async () => 'printed',
});
const call = (name: string, args: object) => ({ toolCalls: [{ id: 'c', name, arguments: JSON.stringify(args) }] });
const chapter = (name: string, text: string) => call('rewrite', { chapter: name, text });
const model = scriptedModel({
  editor: [
    chapter('one', 'new'),
    chapter('two', 'new'),
    chapter('three', 'NEW'), // when told to, it skips the appendix and writes in capitals
    call('print', {}),
    'The book is rewritten; it may not be printed from here.',
  ],
});

// #region scope
const editor = toolLoop({
  session: { name: 'editor', model, setup: 'You rewrite books.' },
  tools: [rewrite, print],
  config: { safePoints: true, doubleConfirmation: false },
});
const baseline = { suite: 'chapters@3', score: 0.97, minimum: 0.95, classes: ['pure', 'undoable'] };
/** Under supervision, the run may only do what can be undone and what the suite measured. */
const watched = supervised(editor, { allow: ['pure', 'undoable'], baseline });

assert.throws(() => supervised(editor, { allow: ['irreversible'], baseline }), { code: 'CONFIG_INVALID' });
// #endregion

const runtime = createRuntime({ engine: memoryEngine(), agents: { watched }, options: { worker: false } });
const seen: string[] = [];

// #region watch
const starting = runtime.start('watched', 'Rewrite the book.', { budget: budget(), id: 'book' });
const supervision = supervise(runtime, 'book', {
  by: 'ines',
  from: 'start',
  monitor: ({ event }) => {
    if (event.type !== 'intent' || event.name !== 'rewrite') return undefined;
    const { chapter: name } = event.input as { readonly chapter: string };
    return name === 'two'
      ? { tier: 'interrupt', why: 'chapter two was agreed on already' }
      : { tier: 'alert', why: `${name} is being rewritten` };
  },
  onTrigger: {
    alert: ({ why }) => seen.push(why),
    interrupt: ({ why }) => {
      seen.push(`paused: ${why}`);
      letGo();
    },
  },
});
const rest = await (await starting).outcome();
assert(rest.stop === 'suspended' && rest.paused === true);
assert.deepEqual(texts(), ['new', 'new', 'as it was', 'as it was']); // running effects ended, and no new ones started
// #endregion

// #region redirect
await supervision.resume('Leave the appendix as it is, and write in capitals.');
const end = await runtime.handle('book').outcome();
assert.match(model.promptAt('editor', 3), /ines follows this work and says: Leave the appendix as it is/);
// #endregion
await supervision.settled();
supervision.stop();
assert(end.stop === 'done');
assert.deepEqual(texts(), ['new', 'new', 'as it was', 'NEW']);
assert.match(model.promptAt('editor', 5), /print is irreversible and outside the supervised scope/); // denied, although loaded
assert.deepEqual(seen, [
  'one is being rewritten',
  'paused: chapter two was agreed on already',
  'three is being rewritten',
]);
model.assertFinished();

/** The same book once more, called off in the middle. */
for (const name of CHAPTERS) writeFileSync(join(folder, name), 'as it was');
const again = scriptedModel({
  editor: [chapter('one', 'new'), { ...chapter('three', 'new'), gate: new Promise(() => {}) }],
});
const hasty = toolLoop({ session: { name: 'editor', model: again, setup: 'You rewrite books.' }, tools: [rewrite] });
const second = createRuntime({ engine: memoryEngine(), agents: { hasty } });
const handle = await second.start('hasty', 'Rewrite the book.', { budget: budget(), id: 'again' });
await again.reached('editor', 2);
assert.equal(texts()[0], 'new');
// #region abort
const watch = supervise(second, 'again', { by: 'ines', monitor: () => undefined });
await watch.abort('the wrong book');
const cancelled = await handle.finished();
assert(cancelled.stop === 'cancelled');
assert.equal(cancelled.because, 'the wrong book');
assert.equal(cancelled.rollback?.success, true);
assert.equal(texts()[0], 'as it was');
// #endregion
watch.stop();

await runtime.close();
await second.close();
rmSync(folder, { recursive: true });
console.log('supervision: what ines saw');
for (const line of seen) console.log(`  ${line}`);
console.log(`then she said what to do instead; the chapters: ${['new', 'new', 'as it was', 'NEW'].join(', ')}`);
console.log(`another run she called off: ${cancelled.because}, and everything was taken back`);
