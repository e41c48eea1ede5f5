import { Command } from 'commander';
import type { Perform } from '../command.js';
import { compareCommand } from './evals-compare.js';
import { fetchCommand } from './evals-fetch.js';
import { listEvalsCommand } from './evals-list.js';
import { replayCommand } from './evals-replay.js';
import { reportCommand } from './evals-report.js';
import { resumeEvalsCommand } from './evals-resume.js';
import { runEvalsCommand } from './evals-run.js';
import { submitCommand } from './evals-submit.js';
import { verifyEvalsCommand } from './evals-verify.js';

const ABOUT =
  'Evaluate agents: run tasks of a domain against simulated users, under several policies and ways of retrieval, and compare.';

const HELP = `
It runs on a fresh machine: the domain energy_desk and a scripted model come with the package.

Examples:
  $ flyball evals list                           domains, agents, presets, and what is missing
  $ flyball evals fetch tau2                     data of the benchmark, for banking_knowledge and mock
  $ flyball evals run --preset pilot             five tasks under two agents
  $ flyball evals report <folder> --format html --out report.html
  $ flyball evals compare <folder>/baseline-bm25 <folder>/governed-bm25
  $ flyball evals replay --tasks all             gold calls of every task, in fresh environments`;

export function evalsCommand(perform: Perform): Command {
  const command = new Command('evals').summary('Evaluate agents').description(ABOUT).addHelpText('after', HELP);
  command.helpCommand(false);
  for (const make of [
    listEvalsCommand,
    runEvalsCommand,
    resumeEvalsCommand,
    reportCommand,
    compareCommand,
    replayCommand,
    submitCommand,
    fetchCommand,
    verifyEvalsCommand,
  ])
    command.addCommand(make(perform));
  return command;
}
