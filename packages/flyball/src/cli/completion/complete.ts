import type { Command } from 'commander';
import type { RunRecord } from '../../ports/engine.js';
import { isThere, openDatabase } from '../database.js';
import type { Place } from '../place.js';

/** What may stand next on a command line: words, or that the shell should offer files. */
export interface Candidates {
  readonly words: readonly Candidate[];
  readonly files: boolean;
}

export interface Candidate {
  readonly word: string;
  readonly about: string;
}

const NOTHING: Candidates = { words: [], files: false };
const FILES: Candidates = { words: [], files: true };

/** Options whose values are known. The others take anything, files among it. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  '--status': ['pending', 'running', 'suspended', 'paused', 'stalled', 'bounded', 'done', 'failed', 'cancelled'],
  '--format': ['entries', 'trace', 'cost', 'provenance'],
  '--scope': [
    'agents:read',
    'agents:invoke',
    'runs:*',
    'runs:read',
    'runs:control',
    'runs:all',
    'approvals:decide',
    'tools:execute',
    'metrics:read',
    'workers:control',
    'admin',
  ],
  '--host': ['127.0.0.1', '0.0.0.0'],
};

/**
 * What fits behind these words; the last one is being typed. It knows what the program knows: commands, options and,
 * where a run is asked for, the runs of the database.
 */
export async function complete(program: Command, typed: readonly string[], place: Place): Promise<Candidates> {
  const before = typed.slice(0, -1);
  const current = typed.at(-1) ?? '';
  const { command, operands } = located(program, before);
  const previous = before.at(-1) ?? '';
  const takesValue = command.options.find(
    ({ long, short, required, optional }) => (long === previous || short === previous) && (required || optional),
  );
  if (takesValue !== undefined) return valuesFor(previous, current, place);
  if (current.startsWith('-')) return { words: starting(current, optionsOf(command, before)), files: false };
  if (command.commands.length > 0) return { words: starting(current, commandsOf(command)), files: false };
  return operandOf(command, operands, current, place);
}

/** The command that the words lead to, and how many operands it has been given. */
function located(program: Command, words: readonly string[]): { readonly command: Command; readonly operands: number } {
  let command = program;
  let operands = 0;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word.startsWith('-')) {
      const option = command.options.find(({ long, short }) => long === word || short === word);
      if (option !== undefined && (option.required || option.optional)) at++; // its value is no operand
      continue;
    }
    const found = command.commands.find((each) => each.name() === word);
    if (found === undefined) operands++;
    else command = found;
  }
  return { command, operands };
}

async function valuesFor(option: string, current: string, place: Place): Promise<Candidates> {
  if (option === '--agent') return { words: starting(current, await agentsIn(place)), files: false };
  const known = VALUES[option];
  if (known === undefined) return FILES;
  return {
    words: starting(
      current,
      known.map((word) => ({ word, about: '' })),
    ),
    files: false,
  };
}

function optionsOf(command: Command, used: readonly string[]): readonly Candidate[] {
  const own = command.options.filter(({ long, variadic }) => variadic || long === undefined || !used.includes(long));
  return [
    ...own.map(({ long, description }) => ({ word: long ?? '', about: description })),
    { word: '--help', about: 'show help' },
  ];
}

function commandsOf(command: Command): readonly Candidate[] {
  return command.commands.map((each) => ({ word: each.name(), about: each.summary() || each.description() }));
}

async function operandOf(command: Command, operands: number, current: string, place: Place): Promise<Candidates> {
  const known = command.registeredArguments;
  const argument = known[operands] ?? (known.at(-1)?.variadic === true ? known.at(-1) : undefined);
  if (argument === undefined) return NOTHING;
  if (argument.argChoices !== undefined)
    return {
      words: starting(
        current,
        argument.argChoices.map((word) => ({ word, about: '' })),
      ),
      files: false,
    };
  if (argument.name() === 'run' || argument.name() === 'runs')
    return { words: starting(current, await runsIn(place)), files: false };
  return FILES;
}

async function runsIn(place: Place): Promise<readonly Candidate[]> {
  return (await latest(place)).map(({ id, agent, status }) => ({ word: id, about: `${agent}, ${status}` }));
}

/** Agents that have run lately: their files may be anywhere. */
async function agentsIn(place: Place): Promise<readonly Candidate[]> {
  const names = (await latest(place)).map(({ agent }) => agent.split(':')[0] ?? agent);
  return [...new Set(names)].map((word) => ({ word, about: 'has run here' }));
}

/** Newest first. A database that is not there, or cannot be read, has nothing to offer: a shell must not show errors. */
async function latest(place: Place): Promise<readonly RunRecord[]> {
  if (!(await isThere(place))) return [];
  try {
    const engine = await openDatabase(place);
    try {
      return (await engine.list({ limit: 50 })).runs;
    } finally {
      await engine.close();
    }
  } catch {
    return [];
  }
}

function starting(current: string, candidates: readonly Candidate[]): readonly Candidate[] {
  return candidates.filter(({ word }) => word.startsWith(current));
}
