import { basename, dirname, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { FlyballError } from '../../core/errors.js';
import { SKILL_FILE } from '../../skills/skill.js';
import { type Call, type CommonOptions, type Perform, plainCommand } from '../command.js';
import { quoted } from '../command-line.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { USUAL_FOLDERS } from '../skill-folders.js';

interface Options extends CommonOptions {
  readonly to: string;
}

const ABOUT =
  'Copy a skill, or all skills of a folder, into a skills folder. Skills are validated first, and nothing is overwritten. ' +
  'To add a skill from the network, download it first, for example with git clone. Read a skill before you let an agent follow it.';

export function addCommand(perform: Perform): Command {
  return plainCommand('add <source>', ABOUT, [
    'flyball skills add ../shared/pdf-forms',
    'flyball skills add ~/cloned/skills --to .agents/skills',
  ])
    .option('--to <folder>', 'target skills folder', USUAL_FOLDERS[0])
    .action((source: string, options: Options) => perform(options, {}, (call) => add(call, source, options)));
}

async function add({ screen }: Call, source: string, { to }: Options): Promise<ExitCode> {
  if (/^(?:[a-z][a-z0-9+.-]*:\/\/|git@)/i.test(source))
    throw new FlyballError(
      'INPUT_INVALID',
      `${source} is on the network. Download it first, for example with git clone, review it, and name the folder.`,
    );
  const from = basename(source) === SKILL_FILE ? dirname(resolve(source)) : source;
  const { addSkills } = await import('../../adapters/skill-folder/add-skills.js'); // brings YAML, which others do not need
  const added = await addSkills({ from, to });
  const isUsual = USUAL_FOLDERS.some((usual) => resolve(usual) === resolve(to));
  const next = [
    `flyball skills show ${added[0]?.name ?? ''}${isUsual ? '' : ` --in ${quoted(to)}`}`,
    `skills: [./${relative(process.cwd(), resolve(to)) || '.'}]`,
  ] as const;
  screen.data({ kind: 'skills-added', skills: added, next });
  for (const { name, version, hash, folder } of added)
    screen.line(
      `${screen.paint('green', '+')} ${name}${version === '' ? '' : ` ${version}`}  ${hash.slice(0, 12)}  ${folder}`,
    );
  screen.line('Look at it:');
  screen.line(`    ${screen.paint('cyan', next[0])}`);
  screen.line('To use it, add this to the agent file:');
  screen.line(`    ${screen.paint('cyan', next[1])}`);
  return EXIT.ok;
}
