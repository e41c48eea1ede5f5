import type { Command } from 'commander';
import { policyBook } from 'flyball/agents';
import type { Screen } from 'flyball/internal';
import {
  type Call,
  type CommonOptions,
  EXIT,
  type ExitCode,
  type Perform,
  plainCommand,
  plural,
  printable,
  readYaml,
} from 'flyball/internal';
import type { Domain } from '../../world/environment.js';
import { domainRecord, type KnownDomain, knownDomains, taskLine } from '../known-domains.js';
import { openDomain } from '../open-domain.js';
import { REFERENCE_AGENTS } from '../prepare.js';
import { presetFile, presetNames } from '../presets.js';

interface Options extends CommonOptions {
  readonly domain?: string;
  readonly data?: string;
}

const ABOUT =
  'List domains, agents, users and presets, and what is missing to use them. --domain lists the tasks, task sets and retrieval configurations of a domain.';

/** Who can play the user; any model can too. */
const USERS: readonly (readonly [string, string])[] = [
  ['scripted', 'says the lines scripted in the task; energy_desk only, needs no API key'],
  ['gold', 'makes the calls that the task expects from the user, then stops'],
  ['<provider/model>', 'a model that plays the user, as in openai/gpt-4.1'],
];

const REFERENCES: Readonly<Record<string, string>> = {
  gold: 'makes the calls that the task expects; the upper bound',
  silent: 'does nothing; the lower bound',
};

const POLICIES: Readonly<Record<string, string>> = {
  baseline: 'instructions and policy, all tools, one model call a turn',
  declarative: 'baseline with skills in the prompt',
  imperative: 'a state machine with phases, a task queue and retries',
  governed: 'skills in the prompt, and a gate before every call that changes something',
};

export function listEvalsCommand(perform: Perform): Command {
  return plainCommand('list', ABOUT, [
    'flyball evals list',
    'flyball evals list --domain energy_desk',
    'flyball evals list --domain banking_knowledge --data ./tau2 --json',
  ])
    .option('--domain <name>', 'list the contents of this domain')
    .option('--data <folder>', 'data of tau2-bench (default: FLYBALL_TAU2, or .flyball/tau2)')
    .action((options: Options) => perform(options, {}, (call) => list(call, options)));
}

async function list(call: Call, options: Options): Promise<ExitCode> {
  if (options.domain !== undefined) listDomain(call.screen, await openDomain(options.domain, options, call.env));
  else await listAll(call, options);
  return EXIT.ok;
}

async function listAll({ screen, env }: Call, options: Options): Promise<void> {
  const domains = await knownDomains(options, env);
  const agents = { ...known(policyBook().names, POLICIES), ...known(Object.keys(REFERENCE_AGENTS), REFERENCES) };
  const presets = await Promise.all(presetNames().map(async (name) => ({ name, ...(await presetOf(name)) })));
  screen.data({
    kind: 'evals',
    domains: domains.map(domainRecord),
    agents: Object.keys(agents),
    users: USERS.map(([name]) => name),
    presets,
  });
  section(screen, 'Domains', domains.map(domainLine));
  section(screen, 'Agents', Object.entries(agents));
  section(screen, 'Users', USERS);
  section(
    screen,
    'Presets',
    presets.map(({ name, about }) => [name, about]),
  );
  screen.line('More about one: flyball evals list --domain <name>');
}

function known(names: readonly string[], about: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, about[name] ?? '']));
}

async function presetOf(name: string): Promise<{ readonly about: string; readonly file: string }> {
  const file = presetFile(name);
  const { value } = await readYaml(file);
  const about = value instanceof Object && 'about' in value ? value.about : undefined;
  return { about: typeof about === 'string' ? about : '', file };
}

function domainLine({ name, summary, builtIn, domain, missing }: KnownDomain): readonly [string, string] {
  if (domain === undefined) return [name, `✗ ${missing ?? ''}`];
  const ways = domain.retrievals.length === 0 ? '' : `, ${domain.retrievals.length} retrieval configurations`;
  return [name, `✓ ${plural(domain.tasks.length, 'task')}${ways}${builtIn ? ', built in' : ''}. ${summary}`];
}

function listDomain(screen: Screen, domain: Domain): void {
  const tasks = domain.tasks.map((task) => taskLine(domain, task));
  const { name, taskSets, retrievals, defaultRetrieval, leftOut = [] } = domain;
  screen.data({
    kind: 'domain',
    name,
    taskSets: Object.fromEntries(taskSets),
    retrievals,
    ...(defaultRetrieval === undefined ? {} : { defaultRetrieval }),
    tasks,
    leftOut,
  });
  const rows = tasks.map((task): readonly [string, string] => {
    const documents = task.requiredDocuments === 0 ? '' : `, ${plural(task.requiredDocuments, 'document')}`;
    const sets = task.sets.length === 0 ? '' : `  ${task.sets.join(', ')}`;
    return [
      task.id,
      `${task.rewardBasis.join(' ') || '-'}, ${plural(task.goldActions, 'gold call')}${documents}${sets}`,
    ];
  });
  section(screen, `Tasks of ${name}`, rows);
  section(
    screen,
    'Sets of tasks',
    [...taskSets].map(([set, ids]) => [set, plural(ids.length, 'task')]),
  );
  if (retrievals.length > 0)
    section(
      screen,
      'Retrieval configurations',
      retrievals.map((retrieval) => [retrieval, retrieval === defaultRetrieval ? 'where nothing is said' : '']),
    );
  for (const problem of leftOut) screen.complain(printable(`✗ not available: ${problem}`));
}

function section(screen: Screen, title: string, rows: readonly (readonly [string, string])[]): void {
  screen.line(screen.paint('bold', title));
  const widest = Math.max(0, ...rows.map(([name]) => name.length));
  for (const [name, text] of rows) screen.line(printable(`  ${name.padEnd(widest)}  ${text}`.trimEnd()));
  screen.line();
}
