import type { Command } from 'commander';
import { Option } from 'commander';
import { windowOf } from '../../catalogue/derived.js';
import type { Finding } from '../../catalogue/finding.js';
import { lint } from '../../catalogue/lint.js';
import { lintJournals } from '../../catalogue/lint-journal.js';
import type { Profile } from '../../catalogue/types.js';
import { ConfigError } from '../../core/errors.js';
import { type AgentModule, loadAgentModule } from '../agent-module.js';
import { plural } from '../amounts.js';
import { type Call, type CommonOptions, newCommand, type Perform } from '../command.js';
import { DECISIONS_FILE, readDecisions } from '../decisions-file.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { journalsOf } from '../pattern-journals.js';
import { printable } from '../printable.js';
import { statedSystem } from '../stated-system.js';

const PROFILES: readonly Profile[] = [
  'production',
  'safety-critical',
  'regulated-register',
  'no-erasure',
  'shared-identity',
  'no-shell',
];
const ABOUT =
  'Check how the agents of a file are composed: missing requirements, conflicts, unsuitable roles, and known mistakes. ' +
  'Tools, instructions, windows, budgets, owners and guards are taken from the agents. What their definitions do not contain, the file can export as `system`. ' +
  `With --run, the journals of runs are checked too. Questions that code cannot decide are answered in ${DECISIONS_FILE}. Exits with 1 if there is an error.`;

interface Options extends CommonOptions {
  readonly profile?: readonly string[];
  readonly run?: readonly string[];
  readonly maxCalls?: string;
  readonly window?: string;
  readonly decisions?: string;
  readonly all?: boolean;
}

const gather = (one: string, all: readonly string[] = []): readonly string[] => [...all, one];

export function checkPatternsCommand(perform: Perform): Command {
  return newCommand('check <file>', ABOUT, [
    'flyball patterns check agent.ts',
    'flyball patterns check agent.ts --profile production --max-calls 40',
    'flyball patterns check agent.ts --run 01J9… --run 01JA…',
    'flyball patterns check agent.ts --json | jq \'.findings[] | select(.level == "error")\'',
  ])
    .addOption(
      new Option(
        '--profile <name>',
        `stricter rules for this kind of system: ${PROFILES.join(', ')}; repeat it for several`,
      ).argParser(gather),
    )
    .addOption(new Option('--run <id>', 'also check the journal of this run; repeat it for several').argParser(gather))
    .option('--max-calls <count>', 'maximum number of model calls that the budget allows')
    .option('--window <tokens>', "find prompts that only grow past half of this (default: the models' window)")
    .option('--decisions <file>', `file with the answers to those questions (default: ${DECISIONS_FILE}, if it exists)`)
    .option('--all', 'also show findings that are only information')
    .action((file: string, options: Options) => perform(options, {}, (call) => check(call, file, options)));
}

async function check(
  call: Call,
  file: string,
  { profile = [], run = [], maxCalls, window, decisions: path, all }: Options,
): Promise<ExitCode> {
  const module = await loadAgentModule(file, call.env);
  const decisions = readDecisions(path);
  const agents = Object.fromEntries(Object.entries(module.agents).filter(([name]) => !name.includes(':')));
  const budget = maxCalls === undefined ? {} : { budget: { modelCalls: countOf(maxCalls) } };
  const own = lint({
    agents,
    seams: module.runtime.seams,
    profile: profiles(profile),
    decisions,
    system: statedSystem(module),
    ...budget,
  });
  const journals = run.length === 0 ? [] : await journalsOf(call, run);
  const findings = [...own, ...lintJournals(journals, { agents, decisions }, windowFor(window, agents))];
  const count = (level: Finding['level']) => findings.filter((finding) => finding.level === level).length;
  call.screen.data({ kind: 'composition', findings, errors: count('error'), warnings: count('warning') });
  for (const line of findingLines(findings, call.screen, all === true)) call.screen.line(line);
  call.screen.line(
    `${plural(count('error'), 'error')}, ${plural(count('warning'), 'warning')}${all === true ? '' : `; ${count('info')} more for your information: --all`}.`,
  );
  return count('error') === 0 ? EXIT.ok : EXIT.failed;
}

function countOf(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1)
    throw new ConfigError(`--max-calls must be a whole number of at least 1, got "${text}".`);
  return count;
}

function windowFor(tokens: string | undefined, agents: AgentModule['agents']): { readonly window?: number } {
  if (tokens === undefined) {
    const window = windowOf(Object.values(agents));
    return window === undefined ? {} : { window };
  }
  const window = Number(tokens);
  if (!(window > 0)) throw new ConfigError(`--window takes a number of tokens, such as 128000: got "${tokens}".`);
  return { window };
}

function profiles(names: readonly string[]): readonly Profile[] {
  const unknown = names.find((name) => !(PROFILES as readonly string[]).includes(name));
  if (unknown !== undefined)
    throw new ConfigError(`There is no profile "${unknown}". There are ${PROFILES.join(', ')}.`);
  return names as readonly Profile[];
}

/** Each with its place, why, and what to change. */
function findingLines(findings: readonly Finding[], { paint }: Call['screen'], isAll: boolean): readonly string[] {
  const colors = { error: 'red', warning: 'yellow', info: 'dim' } as const;
  return findings
    .filter(({ level }) => isAll || level !== 'info')
    .flatMap(({ rule, level, at, why, change }) => [
      `${paint(colors[level], level)} ${printable(at)}`,
      `  ${printable(why)} [${rule}]`,
      `  ${printable(change)}`,
    ]);
}
