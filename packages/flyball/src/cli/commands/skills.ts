import { Command } from 'commander';
import type { Perform } from '../command.js';
import { addCommand } from './skills-add.js';
import { listCommand } from './skills-list.js';
import { showSkillCommand } from './skills-show.js';
import { validateCommand } from './skills-validate.js';

const ABOUT =
  'Manage skills: folders with a SKILL.md that tell an agent how to do one kind of work. ' +
  'Name them in an agent file with "skills: [./skills]".';

const HELP = `
A skill is a folder with a SKILL.md file. The folder has the name of the skill:
  ---
  name: pdf-forms
  description: Fills in PDF forms. Use when a form in PDF has to be completed.
  ---
  1. Read references/fields.md …

Examples:
  $ flyball skills validate skills/pdf-forms     list all problems, with file, line and column
  $ flyball skills add ../shared/pdf-forms       copy it into ./skills
  $ flyball skills list                          list ./skills and ./.agents/skills
  $ flyball skills show pdf-forms                show what an agent reads`;

export function skillsCommand(perform: Perform): Command {
  const command = new Command('skills').summary('Manage skills').description(ABOUT).addHelpText('after', HELP);
  command.helpCommand(false);
  for (const make of [listCommand, validateCommand, addCommand, showSkillCommand]) command.addCommand(make(perform));
  return command;
}
