import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { type Budget, budget } from '../../core/budget.js';
import { ConfigError } from '../../core/errors.js';
import type { Outcome } from '../../core/outcome.js';
import { type AgentModule, chooseAgent, loadAgentModule } from '../agent-module.js';
import { collectBudget } from '../budget-option.js';
import { type Call, type CommonOptions, newCommand, type Perform } from '../command.js';
import { isDryReport } from '../dry-report.js';
import { EXIT, type ExitCode, exitCodeOfOutcome } from '../exit-codes.js';
import { readJson } from '../json-argument.js';
import { filesOf, whoAmI } from '../place.js';
import { rideToRest } from '../ride.js';
import { dryName } from '../workflows.js';
import { openWorkplace } from '../workplace.js';

interface Options extends CommonOptions {
  readonly input?: string;
  readonly agent?: string;
  readonly budget?: Partial<Budget>;
  readonly subject?: string;
  readonly tenant?: string;
  readonly id?: string;
  readonly dryRun?: boolean;
}

const ABOUT =
  'Run an agent until it is done, has to wait, or reaches a limit. ' +
  'The file is a YAML definition, or a JavaScript or TypeScript module that exports `agents`, a record of agents by name, ' +
  'or one agent as default. A module can also export `runtime` with seams, prices and options. ' +
  'With --dry-run, a workflow only prints which agents it would invoke, with which inputs and limits. ' +
  'The path is stored with the run, so that resume, signal and other commands can load the agent again.';

export function runCommand(perform: Perform): Command {
  return newCommand('run <file>', ABOUT, [
    `flyball run agent.yaml --input '{"question":"What is in this folder?"}'`,
    'flyball run agent.ts --input @order.json --budget costUsd=0.50 --budget modelCalls=20',
    'flyball run letters.ts --dry-run --input @letter.json',
    'echo \'"hello"\' | flyball run agents.mjs --agent greeter --input - --json',
  ])
    .option('--input <json>', 'input of the agent: JSON, @file, or - for standard input (default: null)')
    .option('--agent <name>', 'which agent of the file; required if it exports several')
    .option('--budget <axis=value>', 'a limit; repeat it for several axes', collectBudget)
    .option(
      '--dry-run',
      'print what a workflow would do, without calling models or tools; exits with 1 if it finds a problem',
    )
    .option('--subject <who>', 'user it acts for (default: you)')
    .option('--tenant <name>', 'the tenant it belongs to')
    .option('--id <id>', 'id of the run (default: a new one)')
    .action((file: string, options: Options) => {
      const runId = options.id ?? `run_${randomUUID().replaceAll('-', '').slice(0, 20)}`;
      return perform(options, { runId }, (call) => run(call, { file, runId, options }));
    });
}

async function run(
  { screen, place }: Call,
  { file, runId, options }: { readonly file: string; readonly runId: string; readonly options: Options },
): Promise<ExitCode> {
  const input = options.input === undefined ? null : readJson(options.input, '--input');
  screen.status(`loading ${file} …`);
  const module = await loadAgentModule(file, process.env, filesOf(place));
  const agent = chooseAgent(module, options.agent);
  await module.checkInput(agent, input);
  const limits = budget({ ...module.budgets[agent], ...options.budget });
  const dry = options.dryRun === true;
  const started = dry ? dryRunOf(module, agent) : agent;
  const workplace = await openWorkplace(place);
  try {
    const runtime = workplace.runner(module, runId);
    screen.status('');
    screen.line(`${screen.paint('bold', runId)}: ${dry ? 'dry run of ' : ''}${agent} from ${module.path}`);
    return await rideToRest(
      { workplace, runtime, runId, screen, ...(dry ? { exitCodeOf: exitCodeOfDryRun } : {}) },
      () =>
        runtime.start(started, input, {
          budget: limits,
          id: runId,
          source: module.path,
          subject: options.subject ?? whoAmI(),
          ...(options.tenant === undefined ? {} : { tenant: options.tenant }),
        }),
    );
  } finally {
    await workplace.close();
  }
}

function dryRunOf(module: AgentModule, agent: string): string {
  const name = dryName(agent);
  if (module.agents[name] !== undefined) return name;
  throw new ConfigError(
    `${agent} is not a workflow, and only workflows support --dry-run. Run it without --dry-run, ` +
      'or fork an existing run of it: a fork simulates its effects.',
  );
}

/** A script asks whether the workflow would go well, not whether the question was answered. */
function exitCodeOfDryRun(outcome: Outcome<unknown>): ExitCode {
  const found = outcome.stop === 'done' && isDryReport(outcome.value) && outcome.value.problems.length > 0;
  return found ? EXIT.failed : exitCodeOfOutcome(outcome);
}
