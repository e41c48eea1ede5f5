import { Command } from 'commander';
import type { MakeCommand, Perform } from 'flyball/internal';

const ABOUT =
  'Evaluate agents: run tasks with simulated users, under several policies and retrieval configurations, and compare the results.';

const HELP = `
You can start without any setup: the domain energy_desk and a scripted model are built in.

Examples:
  $ flyball evals list                           domains, agents, presets, and what is missing
  $ flyball evals fetch tau2                     data of the benchmark, for banking_knowledge and mock
  $ flyball evals run --preset pilot             five tasks under two agents
  $ flyball evals report <folder> --format html --out report.html
  $ flyball evals show <folder> --figure db-match     the simulations behind a cell, and their conversations
  $ flyball evals compare <folder>/baseline-bm25 <folder>/governed-bm25
  $ flyball evals replay --tasks all             gold calls of every task, in fresh environments`;

/** Without its commands it can only be listed: loading them takes longer than most other commands run. */
export function evalsCommand(perform: Perform, commands: readonly MakeCommand[] = []): Command {
  const command = new Command('evals').summary('Evaluate agents').description(ABOUT).addHelpText('after', HELP);
  command.helpCommand(false);
  for (const make of commands) command.addCommand(make(perform));
  return command;
}
