import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { ConfigError } from 'flyball';
import {
  type Call,
  type CommonOptions,
  EXIT,
  type ExitCode,
  type Perform,
  plainCommand,
  plural,
  printable,
  shorten,
} from 'flyball/internal';
import { type ReplayedCall, replayRecord, replaySequence } from '../../replay/replay.js';
import { type CallSequence, goldSequence, readSequences } from '../../replay/sequence.js';
import { plainOf } from '../../tau2/python/plain-values.js';
import type { Domain } from '../../world/environment.js';
import { openDomain } from '../open-domain.js';
import { tasksNamed } from '../tasks-named.js';

interface Options extends CommonOptions {
  readonly domain: string;
  readonly data?: string;
  readonly calls?: string;
  readonly tasks?: readonly string[];
}

const ABOUT =
  'Replay tool calls in fresh environments, from a file or from the reference solutions of tasks. ' +
  'Prints the result of each call and the hash of the database after it. If the file contains recorded results, the command reports differences and fails.';

export function replayCommand(perform: Perform): Command {
  return plainCommand('replay', ABOUT, [
    'flyball evals replay --tasks all',
    'flyball evals replay --domain banking_knowledge --data ./tau2/data --calls banking_fuzz.jsonl --json',
    'flyball evals replay --domain mock --data ./tau2/data --tasks create_task_1 --json | jq -r .content',
  ])
    .option('--domain <name>', 'the domain whose tools are called', 'energy_desk')
    .option('--data <folder>', 'data of tau2-bench (default: FLYBALL_TAU2, or .flyball/tau2)')
    .option('--calls <file>', 'JSON lines, one sequence of calls per line; - for standard input')
    .option('--tasks <ids...>', 'the reference calls of these tasks, or all')
    .action((options: Options) => perform(options, {}, (call) => replay(call, options)));
}

async function replay({ screen, env }: Call, options: Options): Promise<ExitCode> {
  const domain = await openDomain(options.domain, options, env);
  const sequences = sequencesFor(domain, options);
  let calls = 0;
  let differing = 0;
  for (const sequence of sequences) {
    for await (const made of replaySequence(domain, sequence)) {
      calls++;
      screen.data(plainOf(replayRecord(made)));
      screen.line(lineFor(made, screen.width));
      for (const difference of made.differs)
        screen.complain(printable(`✗ ${nameOf(made)} ${made.name}: ${difference}`));
      if (made.differs.length > 0) differing++;
    }
  }
  screen.line(
    `${plural(calls, 'call')} in ${plural(sequences.length, 'fresh environment')}, ${differing} different from the recording.`,
  );
  return differing === 0 ? EXIT.ok : EXIT.failed;
}

function sequencesFor(domain: Domain, { calls, tasks }: Options): readonly CallSequence[] {
  if ((calls === undefined) === (tasks === undefined))
    throw new ConfigError('Name what to replay: --calls <file>, or --tasks with ids or all.');
  if (calls === undefined) return tasksNamed(domain, tasks ?? []).map(goldSequence);
  const sequences = readSequences(linesIn(calls), calls);
  if (sequences.length > 0) return sequences;
  throw new ConfigError(`${calls} contains no calls. Name a file with one sequence of calls per line.`);
}

function linesIn(file: string): readonly string[] {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8').split('\n');
  } catch (error) {
    throw new ConfigError(
      `${file} cannot be read: ${(error as Error).message}. Name a file with one sequence of calls per line.`,
    );
  }
}

function lineFor(made: ReplayedCall, width: number): string {
  const head = `${nameOf(made)}  ${made.error ? '✗' : '✓'} ${made.name}  ${(made.hash ?? '').slice(0, 12)}  `;
  return printable(head + shorten(made.content.replaceAll(/\s+/g, ' '), Math.max(20, width - head.length)));
}

function nameOf({ sequence, label, index }: ReplayedCall): string {
  return `${String(sequence)}[${label ?? index}]`;
}
