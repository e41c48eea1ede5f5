import { Command } from 'commander';
import type { Perform } from '../command.js';
import { checkPatternsCommand } from './patterns-check.js';
import { listPatternsCommand } from './patterns-list.js';
import { showPatternCommand } from './patterns-show.js';
import { suggestCommand } from './patterns-suggest.js';

const ABOUT =
  'Look up agent patterns, check how an agent is composed, and get suggestions. No command here asks a model.';

const HELP = `
Examples:
  $ flyball patterns list --category reasoning    list patterns, their functions and their status
  $ flyball patterns show R17 --samples 5         show one, with its call formula worked out
  $ flyball patterns check agent.ts               check a composition before it runs
  $ flyball patterns suggest task.yaml            get suggestions for a task description`;

export function patternsCommand(perform: Perform): Command {
  const command = new Command('patterns')
    .summary('Look up and check agent patterns')
    .description(ABOUT)
    .addHelpText('after', HELP);
  command.helpCommand(false);
  for (const make of [listPatternsCommand, showPatternCommand, checkPatternsCommand, suggestCommand])
    command.addCommand(make(perform));
  return command;
}
