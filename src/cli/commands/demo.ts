import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { nodeSqlite } from '../../adapters/engine-sqlite/node-sqlite-driver.js';
import { ConfigError, FlyballError } from '../../core/errors.js';
import { type CommonOptions, newCommand, type Perform } from '../command.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { isBesideUs } from '../serve/needed-packages.js';

const DEMO = fileURLToPath(new URL('../../../dist-examples/demo/demo.js', import.meta.url));

export function demoCommand(perform: Perform): Command {
  return newCommand(
    'demo',
    'Tell a story in the terminal: an agent that is bounded, killed, resumed and approved. Needs no key. ' +
      'In a clone of the repository npm start shows the same and more in a browser.',
    ['flyball demo'],
  ).action((options: CommonOptions) => perform(options, {}, demo));
}

function demo(): Promise<ExitCode> {
  if (!existsSync(DEMO)) {
    throw new ConfigError(
      'This installation comes without the demonstration. Clone the repository and run npm run demo there.',
    );
  }
  if (nodeSqlite() === undefined && !isBesideUs('libsql'))
    throw new FlyballError(
      'DRIVER_MISSING',
      `The demonstration keeps its runs in SQLite, which Node ${process.versions.node} does not bring. Its driver was left out when flyball was installed: npm install libsql`,
    );
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [DEMO], { stdio: 'inherit' });
    child.on('error', reject);
    child.on('close', (code) => resolve(code === 0 ? EXIT.ok : EXIT.failed));
  });
}
