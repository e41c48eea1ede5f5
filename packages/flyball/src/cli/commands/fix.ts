import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { type Budget, budget } from '../../core/budget.js';
import { ConfigError } from '../../core/errors.js';
import type { Outcome } from '../../core/outcome.js';
import type { TaskSpec } from '../../core/work.js';
import { chooseAgent, loadAgentModule } from '../agent-module.js';
import { collectBudget } from '../budget-option.js';
import { type Call, type CommonOptions, newCommand, type Perform } from '../command.js';
import type { BranchedResult } from '../commit/on-branch.js';
import { openWorkTree, type WorkTree } from '../commit/work-tree.js';
import { type ExitCode, exitCodeOfOutcome } from '../exit-codes.js';
import { whoAmI } from '../place.js';
import { rideToRest } from '../ride.js';
import { openWorkplace } from '../workplace.js';

interface Options extends CommonOptions {
  readonly issue: string;
  readonly test?: string;
  readonly format?: string;
  readonly model?: string;
  readonly branch?: string;
  readonly allowTests?: boolean;
  readonly unsandboxed?: boolean;
  readonly price?: string;
  readonly budget?: Partial<Budget>;
}

const ABOUT =
  'Fix an issue in a git repository: turns a description of the issue into a verified commit on a new branch. ' +
  'The work happens in a separate work tree. The commit is made only if all tests of the repository and the review pass; ' +
  'otherwise nothing is left behind. Your checked-out files and existing branches are never changed.';

const LONGEST_ISSUE = 50_000;

export function fixCommand(perform: Perform): Command {
  return newCommand('fix <repository>', ABOUT, [
    'flyball fix . --issue issue.md',
    "flyball fix ../shop --issue issue.md --test 'node --test --test-reporter=tap' --budget costUsd=2",
    "flyball fix ../tool --issue issue.md --test 'python3 -m pytest -rA' --branch fix/rounding",
  ])
    .requiredOption('--issue <file>', 'the issue, as text or Markdown')
    .option('--test <command>', 'test command (default: detected for node:test, vitest, jest and pytest)')
    .option('--format <format>', 'format of the test report (default: detected)')
    .option('--model <provider/model>', 'the model (default: FLYBALL_MODEL)')
    .option('--price <input,output>', 'USD per million tokens, for a model whose price is not known: 0,0 if it is free')
    .option('--branch <name>', 'name of the new branch (default: flyball/fix- and the run id)')
    .option('--allow-tests', 'let it change tests and their settings too')
    .option('--unsandboxed', 'run the tests without isolation if bubblewrap is missing')
    .option('--budget <axis=value>', 'a limit; repeat it for several axes', collectBudget)
    .action((repository: string, options: Options) => {
      const runId = `run_${randomUUID().replaceAll('-', '').slice(0, 20)}`;
      return perform(options, { runId }, (call) => fix(call, { repository, runId, options }));
    });
}

interface Asked {
  readonly repository: string;
  readonly runId: string;
  readonly options: Options;
}

async function fix(call: Call, asked: Asked): Promise<ExitCode> {
  const { repository, runId, options } = asked;
  const issue = issueIn(options.issue);
  call.screen.status(`creating a work tree of ${repository} …`);
  const tree = await openWorkTree(repository, {
    branch: options.branch ?? `flyball/fix-${runId.slice(4, 12)}`,
    for: { run: runId, database: call.place.database },
    ...(options.test === undefined ? {} : { test: options.test }),
    ...(options.format === undefined ? {} : { format: options.format }),
    ...(options.model === undefined ? {} : { model: options.model }),
    ...(options.price === undefined ? {} : { price: priceIn(options.price) }),
    allowTests: options.allowTests === true,
    unsandboxed: options.unsandboxed === true,
  });
  if (tree.uncommitted > 0)
    call.screen.line(
      `Uncommitted changes (${tree.uncommitted} files) are not included. The work starts from the last commit.`,
    );
  return worked(call, { ...asked, tree, issue });
}

async function worked(
  call: Call,
  { runId, options, tree, issue }: Asked & { readonly tree: WorkTree; readonly issue: string },
): Promise<ExitCode> {
  const { screen, place, env } = call;
  const module = await loadAgentModule(tree.definition, env).catch(async (error: unknown) => {
    await tree.remove();
    throw error;
  });
  const agent = chooseAgent(module, undefined);
  const limits = budget({ ...module.budgets[agent], ...options.budget });
  const workplace = await openWorkplace(place);
  try {
    const runtime = workplace.runner(module, runId);
    const exitCodeOf = (outcome: Outcome<unknown>): ExitCode => {
      tell(screen, outcome);
      return exitCodeOfOutcome(outcome);
    };
    const given = { budget: limits, id: runId, source: module.path, subject: whoAmI() };
    return await rideToRest({ workplace, runtime, runId, screen, module, exitCodeOf }, () =>
      runtime.start(agent, taskFor(issue, tree.head), given),
    );
  } finally {
    await workplace.close();
    // a run that waits or was interrupted goes on in it
    if (existsSync(tree.folder))
      screen.line(`The work tree stays at ${tree.folder}. Remove it with: ${tree.removeCommand}`);
  }
}

function tell(screen: Call['screen'], outcome: Outcome<unknown>): void {
  if (outcome.stop === 'done') {
    const { git } = outcome.value as BranchedResult;
    screen.data({ kind: 'fix', fixed: true, ...git });
    screen.line(`${screen.paint('green', '✓')} ${git.commit.slice(0, 12)} on branch ${git.branch}. All tests pass.`);
  } else if (outcome.stop !== 'suspended' && outcome.stop !== 'bounded') {
    screen.data({ kind: 'fix', fixed: false, stop: outcome.stop });
    screen.line(`${screen.paint('red', '✗')} Not fixed. No branch was created, and the repository is unchanged.`);
  }
}

function priceIn(text: string): { readonly input: number; readonly output: number } {
  const found = /^(\d+(?:\.\d+)?),(\d+(?:\.\d+)?)$/.exec(text.trim());
  if (found === null) throw new ConfigError(`--price is two numbers such as 0.25,2, got ${text}.`);
  return { input: Number(found[1]), output: Number(found[2]) };
}

function issueIn(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new ConfigError(`--issue names ${file}, which cannot be read: ${(error as Error).message}`);
  }
  if (text === '') throw new ConfigError(`${file} is empty. Describe the issue in it.`);
  if (text.length > LONGEST_ISSUE)
    throw new ConfigError(`${file} has more than ${LONGEST_ISSUE} characters. Shorten it to what matters.`);
  return text;
}

function taskFor(issue: string, head: string): TaskSpec {
  const [title = ''] = issue.replace(/^#+\s*/, '').split('\n');
  return {
    id: `fix-${createHash('sha256').update(`${head}\n${issue}`).digest('hex').slice(0, 16)}`,
    goal: `Fix: ${title.slice(0, 200)}`,
    requirements: ['what the issue describes is fixed', 'all tests of the repository pass'],
    taskClass: 'bug-fix',
    context: issue,
  };
}
