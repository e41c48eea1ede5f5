import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { nodeSqlite } from '../../adapters/engine-sqlite/node-sqlite-driver.js';
import { ConfigError, FlyballError } from '../../core/errors.js';
import { type CommonOptions, newCommand, type Perform } from '../command.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { isBesideUs } from '../installed.js';

const DEMO = fileURLToPath(new URL('../../../dist-examples/demo/demo.js', import.meta.url));

export function demoCommand(perform: Perform): Command {
  return newCommand(
    'demo',
    'Run a demo in the terminal: an agent reaches a limit, is killed, resumes and waits for an approval. Needs no API key. ' +
      'In a clone of the repository, npm start shows a larger demo in the browser.',
    ['flyball demo'],
  ).action((options: CommonOptions) => perform(options, {}, demo));
}

function demo(): Promise<ExitCode> {
  if (!existsSync(DEMO)) {
    throw new ConfigError(
      'This installation does not include the demo. Clone the repository and run npm run demo there.',
    );
  }
  if (nodeSqlite() === undefined && !isBesideUs('libsql'))
    throw new FlyballError(
      'DRIVER_MISSING',
      `The demo needs SQLite, which Node ${process.versions.node} does not include, and the libsql driver is not installed. Run: npm install libsql`,
    );
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [DEMO], { stdio: 'inherit' });
    child.on('error', reject);
    child.on('close', (code) => resolve(code === 0 ? EXIT.ok : EXIT.failed));
  });
}
