import { Command } from 'commander';
import type { Perform } from '../command.js';
import { addCommand } from './skills-add.js';
import { listCommand } from './skills-list.js';
import { showSkillCommand } from './skills-show.js';
import { validateCommand } from './skills-validate.js';

const ABOUT =
  'Look after skills: folders with a SKILL.md that tell an agent how to do one kind of work. ' +
  'Name them in an agent file with "skills: [./skills]".';

const HELP = `
A skill is a folder with a file SKILL.md, whose name is the name of the folder:
  ---
  name: pdf-forms
  description: Fills in PDF forms. Use when a form in PDF has to be completed.
  ---
  1. Read references/fields.md …

Examples:
  $ flyball skills validate skills/pdf-forms     every mistake, with file, line and column
  $ flyball skills add ../shared/pdf-forms       copy it into ./skills
  $ flyball skills list                          what is in ./skills and ./.agents/skills
  $ flyball skills show pdf-forms                what an agent gets to read`;

export function skillsCommand(perform: Perform): Command {
  const command = new Command('skills').summary('Look after skills').description(ABOUT).addHelpText('after', HELP);
  command.helpCommand(false);
  for (const make of [listCommand, validateCommand, addCommand, showSkillCommand]) command.addCommand(make(perform));
  return command;
}
