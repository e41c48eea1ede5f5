import { existsSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { FlyballError } from '../../core/errors.js';
import { type Call, type CommonOptions, newCommand, type Perform } from '../command.js';
import { quoted } from '../command-line.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { originOf } from '../init/dependencies.js';
import { projectName } from '../init/project-name.js';
import { templates } from '../init/templates.js';
import { makeFolder } from '../make-folder.js';

interface Options extends CommonOptions {
  readonly name?: string;
}

const ABOUT =
  'Create a project with an agent, a tool and a test. The test runs without an API key. ' +
  'Existing files are never overwritten.';

export function initCommand(perform: Perform): Command {
  return newCommand('init [folder]', ABOUT, ['flyball init my-agent', 'flyball init --name helper'])
    .option('--name <name>', 'name of the agent (default: the name of the folder)')
    .action((folder: string | undefined, options: Options) =>
      perform(options, {}, (call) => init(call, resolve(folder ?? '.'), options)),
    );
}

async function init({ screen }: Call, folder: string, options: Options): Promise<ExitCode> {
  const name = projectName(options.name ?? basename(folder));
  const origin = originOf();
  const files = templates({ name, dependencies: { flyball: origin.spec } });
  refuseTaken(folder, Object.keys(files));
  for (const [file, text] of Object.entries(files)) {
    write(join(folder, file), text);
    screen.line(`  ${screen.paint('green', '+')} ${file}`);
  }
  const way = relative(process.cwd(), folder);
  const next = [...(way === '' ? [] : [`cd ${quoted(way)}`]), 'npm install', 'npm test'];
  const then = ['npx flyball doctor', 'npx flyball chat agent.yaml'];
  screen.data({
    kind: 'init',
    folder,
    name,
    files: Object.keys(files),
    flyball: origin.spec,
    next: [...next, ...then],
  });
  if (!origin.isRelease)
    screen.line(
      `\nThis copy of flyball was not installed from a registry, so the project depends on it by path: ${origin.spec}`,
    );
  screen.line(`\n${screen.paint('bold', name)} is ready. Try it without an API key:`);
  for (const command of next) screen.line(`    ${screen.paint('cyan', command)}`);
  screen.line('Then check which models are available, and chat with the agent:');
  for (const command of then) screen.line(`    ${screen.paint('cyan', command)}`);
  return EXIT.ok;
}

function refuseTaken(folder: string, files: readonly string[]): void {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found !== undefined && !found.isDirectory())
    throw new FlyballError('INPUT_INVALID', `${folder} is a file. Name a folder instead; nothing is overwritten.`);
  const taken = files.filter((file) => existsSync(join(folder, file)));
  if (taken.length > 0)
    throw new FlyballError(
      'INPUT_INVALID',
      `${folder} already contains ${taken.join(', ')}. Name an empty folder; nothing is overwritten.`,
    );
}

function write(path: string, text: string): void {
  try {
    makeFolder(dirname(path));
    writeFileSync(path, text, { flag: 'wx' });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new FlyballError('INPUT_INVALID', `${path} cannot be written (${code}). Choose a folder you can write to.`, {
      cause: error,
    });
  }
}
