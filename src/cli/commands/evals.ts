import { Command } from 'commander';
import type { Perform } from '../command.js';
import { replayCommand } from './evals-replay.js';

const ABOUT =
  'Evaluate agents: run tasks of a domain against simulated users, under several policies and ways of retrieval, and compare.';

const HELP = `
It runs on a fresh machine: the domain energy_desk and a scripted model come with the package.

Examples:
  $ flyball evals replay --tasks all             gold calls of every task, in fresh environments`;

export function evalsCommand(perform: Perform): Command {
  const command = new Command('evals').summary('Evaluate agents').description(ABOUT).addHelpText('after', HELP);
  command.helpCommand(false);
  for (const make of [replayCommand]) command.addCommand(make(perform));
  return command;
}
