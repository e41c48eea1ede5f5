#!/usr/bin/env node
import { runProgram } from './program.js';

/** The edge itself: streams, environment and the end of the process. */
// a reader that went away (`flyball show … | head`) is no error of ours
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

const exitCode = await runProgram(process.argv.slice(2), {
  out: process.stdout,
  error: process.stderr,
  env: process.env,
});
// an agent's open sockets and timers must not hold the command: what had to be kept is in the journal
process.stdout.write('', () => process.stderr.write('', () => process.exit(exitCode)));
