import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { FlyballError } from '../../core/errors.js';
import { type Call, type CommonOptions, newCommand, type Perform } from '../command.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { templates } from '../init/templates.js';

interface Options extends CommonOptions {
  readonly name?: string;
}

const ABOUT =
  'Make a project with one agent, one tool and one test that passes without any key. ' +
  'Files that are already there are never overwritten.';

export function initCommand(perform: Perform): Command {
  return newCommand('init [folder]', ABOUT, ['flyball init my-agent', 'flyball init --name helper'])
    .option('--name <name>', 'name of the agent (default: the name of the folder)')
    .action((folder: string | undefined, options: Options) =>
      perform(options, {}, (call) => init(call, resolve(folder ?? '.'), options)),
    );
}

async function init({ screen }: Call, folder: string, options: Options): Promise<ExitCode> {
  const name = nameOf(options.name ?? basename(folder));
  const files = templates({ name, ...ourselves() });
  const taken = Object.keys(files).filter((file) => existsSync(join(folder, file)));
  if (taken.length > 0) {
    throw new FlyballError(
      'INPUT_INVALID',
      `${folder} already holds ${taken.join(', ')}. Give an empty folder: nothing is overwritten.`,
    );
  }
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text, { flag: 'wx' });
    screen.line(`  ${screen.paint('green', '+')} ${file}`);
  }
  const next = [...(folder === process.cwd() ? [] : [`cd ${folder}`]), 'npm install', 'npm test'];
  screen.data({ kind: 'init', folder, name, files: Object.keys(files), next });
  screen.line(`\n${screen.paint('bold', name)} is ready. Next:`);
  for (const command of next) screen.line(`    ${screen.paint('cyan', command)}`);
  return EXIT.ok;
}

/** What an agent and a package may be called. */
function nameOf(given: string): string {
  const name = given
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  if (name !== '') return name;
  throw new FlyballError('INPUT_INVALID', `"${given}" makes no name: use letters and digits, or give one with --name.`);
}

/** The version to depend on: a release from the registry, or this very folder while it is none. */
function ourselves(): { readonly flyball: string } {
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string };
  const isInstalled = basename(dirname(root.replace(/[/\\]$/, ''))) === 'node_modules';
  return { flyball: isInstalled ? `^${version}` : `file:${root.replace(/[/\\]$/, '')}` };
}
