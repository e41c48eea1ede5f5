/** A server under load: load-server.js <file> <pauseMs>. Tells its address, then its memory for each line it reads. */
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { openServer } from '@flyball/server';
import { type Agent, append, done, type Model, type Prompt, type Session } from 'flyball';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { reportMemory } from '../measure/memory-report.js';
import { quietModel } from '../measure/quiet-model.js';

const [path = '', pauseMs = '250'] = process.argv.slice(2);
const WORDS = 'The water in the harbor is high at six and low at noon. '.repeat(7);

/** Takes its time, and says a few words on the way. */
const quiet = quietModel(() => ({ text: WORDS }));
const model: Model = {
  ...quiet,
  async generate(request, how) {
    for (let part = 0; part < 4; part++) {
      await pause(Number(pauseMs) / 4, undefined, { signal: how.signal });
      how.onDelta?.({ type: 'text', text: WORDS.slice(0, 100) });
    }
    return quiet.generate(request, how);
  },
};
const session: Session = { name: 'talk', model, setup: 'You tell the time of high water.' };

/** Asks and works, round after round: a model call, a step and a note each. */
const worker: Agent<{ readonly rounds: number }, number> = async (run, { rounds }) => {
  for (let round = 0; round < rounds; round++) {
    const prompt: Prompt = append(undefined, { role: 'user', content: `When is high water, round ${round}?` });
    const { text } = await run.ask(session, prompt);
    run.note({ kind: 'progress', round, of: rounds });
    await run.step('measure', round, async () => ({ round, length: text.length }), 'pure');
  }
  return done(rounds);
};

/** Says a lot without a pause: what a reader that does not read would have to hold. */
const talkative: Agent<{ readonly rounds: number }, number> = async (run, { rounds }) => {
  for (let round = 0; round < rounds; round++) {
    await run.step('say', round, async () => `${round} ${WORDS.repeat(100)}`, 'pure');
    await run.sleep(20);
  }
  return done(rounds);
};

const engine = await sqliteEngine({ path });
const server = await openServer({
  engine,
  groups: [{ agents: { worker, talkative } }],
  settings: { port: 0, maxStreams: 10_000, studio: false, mcp: false },
});
console.log(server.url);
for await (const line of createInterface(process.stdin)) {
  if (line === 'close') break;
  reportMemory({ ...server.parts.feed.stats() });
}
await server.close();
await engine.close();
process.exit(0);
