import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { sharedServer, whyNoServer } from '../postgres/server.js';
import { rollOut, type Scene, type Tell } from './rolling.js';

/** `npm run demo:cluster`; with `-- --pause` it waits for Enter after each change, so that the studio can be looked at. */
const { values } = parseArgs({ options: { pause: { type: 'boolean', default: false } } });

/** Enough that runs are still at work when somebody has looked at every change. */
const STEPS_WITH_PAUSES = 150;

function enterKey(): { pressed(): Promise<void>; close(): void } {
  const lines = createInterface({ input: process.stdin });
  const next = lines[Symbol.asyncIterator]();
  return {
    pressed: async () => void (await next.next()), // a terminal that is gone holds up nobody
    close: () => lines.close(),
  };
}

async function demonstrate(): Promise<void> {
  const enter = values.pause ? enterKey() : undefined;
  const tell: Tell = async (text: string, scene?: Scene) => {
    console.log(text);
    if (enter === undefined || scene === undefined) return;
    console.log(`At work: ${scene.working.join(', ')}. Press Enter to continue.`);
    await enter.pressed();
  };
  const server = await sharedServer();
  try {
    const paced = values.pause ? { steps: STEPS_WITH_PAUSES } : {};
    const { started, again, missing, exits, versions } = await rollOut(server.url, tell, paced);
    console.log(
      `${started} runs are done. ${missing} steps are missing; ${again} were repeated under the same key after the kill.`,
    );
    console.log(
      `Versions ${versions.join(' and ')} worked on them. Stopped processes exited with ${exits.join(', ')}.`,
    );
    process.exitCode = missing === 0 ? 0 : 1;
  } finally {
    enter?.close();
    server.remove();
  }
}

const why = whyNoServer();
if (why === undefined) await demonstrate();
else {
  console.error(`The demonstration needs PostgreSQL: ${why}. Install it, or set FLYBALL_POSTGRES_URL.`);
  process.exitCode = 1;
}
