#!/usr/bin/env node
import { EXIT } from './exit-codes.js';
import { flushed, outputOn } from './output.js';
import { runProgram } from './program.js';

/**
 * The edge itself: streams, environment and the end of the process. Nothing here is awaited while the module loads: what a
 * command loads later may share a file with this one, and would wait for it for ever.
 */
async function main(): Promise<void> {
  const out = outputOn(process.stdout);
  const error = outputOn(process.stderr);
  const ended = await runProgram(process.argv.slice(2), { out, error, env: process.env });
  for (const stream of [process.stdout, process.stderr]) await flushed(stream);
  if (out.failure !== undefined) error.write(`flyball: standard output cannot be written: ${out.failure.message}\n`);
  // an agent's open sockets and timers must not hold the command: what had to be kept is in the journal
  process.exit(ended === EXIT.ok && out.failure !== undefined ? EXIT.storage : ended);
}

void main();
