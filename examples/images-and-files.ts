import { strict as assert } from 'node:assert';
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Agent, append, budget, createRuntime, done, type MediaPart, memoryEngine, type Session } from 'flyball';
import { scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';

/** Images in messages and in the results of tools. */

const file = join(tmpdir(), 'meter.png');
writeFileSync(
  file,
  Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC', 'base64'),
);
const model = scriptedModel(
  { reader: ['It shows 4711 kWh.', 'It has a crack.'] },
  { capabilities: { media: ['image/png', 'application/pdf'], mediaTokens: 'anthropic' } },
);
const session: Session = { name: 'reader', model, setup: 'You read meters.' };

// #region ask
const read: Agent<MediaPart, string> = async (run, photo) => {
  const first = await run.ask(session, [{ type: 'text', text: 'What does the meter show?' }, photo]);
  const more = append(first.prompt, { role: 'user', content: 'Is it damaged?' }); // the photo is part of the prompt
  return done(`${first.text} ${(await run.ask(session, more)).text}`);
};
const photo: MediaPart = {
  type: 'image',
  mediaType: 'image/png',
  data: readFileSync(file, 'base64'),
  name: 'meter.png',
};
// #endregion ask

// #region tool
const camera = tool({
  name: 'camera',
  description: 'Takes a picture of the meter. Not for other things.',
  effect: 'pure',
  execute: async () => ({ at: 'cellar', png: readFileSync(file, 'base64') }),
  present: ({ at, png }) => [
    { type: 'text', text: `Taken in the ${at}.` },
    { type: 'image', mediaType: 'image/png', data: png },
  ],
});
// #endregion tool

const look: Agent<null, string> = async (run) => {
  const result = await run.call(camera, {});
  return done(result.ok ? `${result.parts?.length} parts: ${result.content}` : result.content);
};
const runtime = createRuntime({ engine: memoryEngine(), agents: { read, look } });
const outcome = await (await runtime.start('read', photo, { budget: budget() })).outcome();
assert.deepEqual(outcome.stop === 'done' && outcome.value, 'It shows 4711 kWh. It has a crack.');
assert.equal(model.requests[1]?.messages[1]?.parts?.length, 2);
const taken = await (await runtime.start('look', null, { budget: budget() })).outcome();
assert.match(
  String(taken.stop === 'done' && taken.value),
  /^2 parts: Taken in the cellar\.\n\[image, image\/png, \d+ bytes\]$/,
);
await runtime.close();
console.log('images-and-files: It shows 4711 kWh.');
