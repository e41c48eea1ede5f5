import { sharedServer, whyNoServer } from '../postgres/server.js';
import { rollOut } from './rolling.js';

/** `npm run demo:cluster` */
const why = whyNoServer();
if (why === undefined) {
  const server = await sharedServer();
  try {
    const { started, again, missing, exits, versions } = await rollOut(server.url, (text) => console.log(text));
    console.log(
      `${started} runs are done. ${missing} steps are missing; ${again} were repeated under the same key after the kill.`,
    );
    console.log(
      `Versions ${versions.join(' and ')} worked on them. Stopped processes exited with ${exits.join(', ')}.`,
    );
    process.exitCode = missing === 0 ? 0 : 1;
  } finally {
    server.remove();
  }
} else {
  console.error(`The demonstration needs PostgreSQL: ${why}. Install it, or set FLYBALL_POSTGRES_URL.`);
  process.exitCode = 1;
}
