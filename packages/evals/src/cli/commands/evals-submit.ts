import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { ConfigError } from 'flyball';
import {
  type Call,
  type CommonOptions,
  EXIT,
  type ExitCode,
  makeFolder,
  type Perform,
  parsedUrl,
  plainCommand,
} from 'flyball/internal';
import { writeResultsFile } from '../../files/results-file.js';
import {
  leaderboardSubmission,
  type SubmissionFacts,
  submissionFolder,
  submissionText,
} from '../../results/leaderboard.js';
import { measurables } from './evals-report.js';

interface Options extends CommonOptions {
  readonly out: string;
  readonly data?: string;
  readonly modelName: string;
  readonly modelOrganization: string;
  readonly organization: string;
  readonly email?: string;
  readonly contact?: string;
  readonly github?: string;
  readonly date?: string;
  readonly benchmarkVersion: string;
  readonly notes?: string;
  readonly reference?: readonly string[];
  readonly reasoningEffort?: string;
  readonly trajectories: boolean;
}

const ABOUT =
  'Write a submission for the tau2-bench leaderboard: submission.json with its trajectories, one results file per domain. ' +
  'If the results break a rule, the command lists all violations and writes nothing. All agents except baseline count as custom scaffolds.';

export function submitCommand(perform: Perform): Command {
  return plainCommand('submit <paths...>', ABOUT, [
    'flyball evals submit runs/final/baseline-bm25 --model-name gpt-4.1 --model-organization OpenAI --organization Acme --email ada@acme.example',
    'flyball evals submit runs/final/governed-bm25 … --notes "Skills and a gate." --reference "Code=https://acme.example/agent"',
  ])
    .requiredOption('--model-name <name>', 'model name shown on the leaderboard')
    .requiredOption('--model-organization <name>', 'who made the model')
    .requiredOption('--organization <name>', 'who submits')
    .option('--email <address>', 'whom to ask')
    .option('--contact <name>', 'contact person')
    .option('--github <name>', 'contact on GitHub')
    .option('--date <day>', 'of the submission, as in 2026-03-04 (default: today)')
    .option('--benchmark-version <text>', 'version of tau2-bench whose data were used', '1.0.1')
    .option('--notes <text>', 'what a custom scaffold changes')
    .option('--reference <title=url...>', 'where a custom scaffold is described')
    .option('--reasoning-effort <text>', 'of the model, where it has one')
    .option('--no-trajectories', 'omit the results files')
    .option('--out <folder>', 'parent folder of the submission', '.')
    .option('--data <folder>', 'data of tau2-bench (default: FLYBALL_TAU2, or .flyball/tau2)')
    .action((paths: readonly string[], options: Options) =>
      perform(options, {}, (call) => submit(call, paths, options)),
    );
}

async function submit({ screen, env }: Call, paths: readonly string[], options: Options): Promise<ExitCode> {
  const facts = factsOf(options);
  const measured = await measurables(paths, options, env);
  const twice = measured.find(({ domain }, at) => measured.findIndex((other) => other.domain === domain) !== at);
  if (twice !== undefined)
    throw new ConfigError(`There is more than one results file of ${twice.domain.name}. Name one for each domain.`);
  const name = submissionFolder(facts);
  const folder = join(options.out, name);
  const domains = measured.map((one) => ({
    ...one,
    ...(options.trajectories ? { file: `${name}_${one.domain.name}.json` } : {}),
  }));
  const submission = leaderboardSubmission(facts, domains);
  makeFolder(folder);
  for (const { file, results } of domains)
    if (file !== undefined) await writeResultsFile(join(folder, 'trajectories', file), results);
  await writeFile(join(folder, 'submission.json'), submissionText(submission));
  screen.data({ kind: 'submission', folder: resolve(folder), type: submission['submission_type'] });
  screen.line(`A ${String(submission['submission_type'])} submission is in ${folder}.`);
  return EXIT.ok;
}

function factsOf(options: Options): SubmissionFacts {
  const { email, contact: name, github, notes, reasoningEffort, reference } = options;
  if (email === undefined && name === undefined && github === undefined)
    throw new ConfigError('Name a contact for the submission: --email, --contact or --github.');
  return {
    modelName: options.modelName,
    modelOrganization: options.modelOrganization,
    submittingOrganization: options.organization,
    contact: {
      ...(email === undefined ? {} : { email }),
      ...(name === undefined ? {} : { name }),
      ...(github === undefined ? {} : { github }),
    },
    date: dayOf(options.date),
    benchmarkVersion: options.benchmarkVersion,
    ...(notes === undefined ? {} : { notes }),
    ...(reasoningEffort === undefined ? {} : { reasoningEffort }),
    ...(reference === undefined ? {} : { references: reference.map(referenceOf) }),
  };
}

function dayOf(text: string | undefined): number {
  if (text === undefined) return Date.now();
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`).getTime() : Number.NaN;
  if (Number.isNaN(at)) throw new ConfigError(`--date is a day, as in 2026-03-04, got "${text}".`);
  return at;
}

function referenceOf(text: string): { readonly title: string; readonly url: string } {
  const at = text.indexOf('=');
  const [title, url] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  if (at > 0 && title !== '' && parsedUrl(url) !== undefined) return { title, url };
  throw new ConfigError(`A reference is title=url, as in "Code=https://example.com/agent", got "${text}".`);
}
