import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { ConfigError } from '../../core/errors.js';
import { type CommonOptions, newCommand, type Perform } from '../command.js';
import { EXIT, type ExitCode } from '../exit-codes.js';

const DEMO = fileURLToPath(new URL('../../../dist-examples/demo/demo.js', import.meta.url));

export function demoCommand(perform: Perform): Command {
  return newCommand(
    'demo',
    'Tell the demonstration: an agent that is bounded, killed, resumed and approved. Needs no key.',
    ['flyball demo'],
  ).action((options: CommonOptions) => perform(options, {}, demo));
}

function demo(): Promise<ExitCode> {
  if (!existsSync(DEMO)) {
    throw new ConfigError(
      'This installation comes without the demonstration. Clone the repository and run npm start there.',
    );
  }
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [DEMO], { stdio: 'inherit' });
    child.on('error', reject);
    child.on('close', (code) => resolve(code === 0 ? EXIT.ok : EXIT.failed));
  });
}
