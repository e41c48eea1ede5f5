import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { type Budget, budget } from '../../core/budget.js';
import { ConfigError, FlyballError } from '../../core/errors.js';
import { type AgentModule, chatName, chooseAgent, loadAgentModule } from '../agent-module.js';
import { collectBudget } from '../budget-option.js';
import { personOn } from '../chat/person.js';
import { talk } from '../chat/talk.js';
import { type Call, type CommonOptions, newCommand, type Perform } from '../command.js';
import type { ExitCode } from '../exit-codes.js';
import { openExisting, openWorkplace, type Workplace, whoAmI } from '../workplace.js';

interface Options extends CommonOptions {
  readonly agent?: string;
  readonly resume?: string;
  readonly message?: string;
  readonly budget?: Partial<Budget>;
}

const ABOUT =
  'Talk with an agent: replies are streamed, tool calls are shown as they happen, approvals are asked for inline. ' +
  'The conversation is one durable run: Ctrl-C pauses it, Ctrl-D leaves it open, and --resume goes on where it was.';

/** A conversation lives longer than a task, and is bounded all the same. */
const CONVERSATION: Partial<Budget> = {
  iterations: 500,
  modelCalls: 500,
  toolCalls: 1000,
  tokensIn: 20_000_000,
  tokensOut: 1_000_000,
  costUsd: 20,
  wallMs: 8 * 3_600_000,
};

export function chatCommand(perform: Perform): Command {
  return newCommand('chat [file]', ABOUT, [
    'flyball chat agent.yaml',
    'flyball chat agents.mjs --agent helper --budget costUsd=1',
    'flyball chat --resume run_1f0c',
  ])
    .option('--agent <name>', 'which agent of the file; needed when it exports several')
    .option('--resume <run>', 'go on with a conversation')
    .option('--message <text>', 'what to say first')
    .option('--budget <axis=value>', 'a limit; repeat it for several axes', collectBudget)
    .action((file: string | undefined, options: Options) => {
      const runId = options.resume ?? `chat_${randomUUID().replaceAll('-', '').slice(0, 20)}`;
      return perform(options, { runId }, (call) => chat(call, { file, runId, options }));
    });
}

interface Given {
  readonly file: string | undefined;
  readonly runId: string;
  readonly options: Options;
}

async function chat(call: Call, { file, runId, options }: Given): Promise<ExitCode> {
  if (options.resume !== undefined) return resumed(call, { file, runId, options });
  if (file === undefined)
    throw new ConfigError('Say which agent to talk with: flyball chat <file>. flyball init makes one.');
  const module = await loadAgentModule(file);
  const agent = chooseAgent(module, options.agent);
  const limits = budget({ ...CONVERSATION, ...module.budgets[agent], ...options.budget });
  const workplace = await openWorkplace(call.place);
  call.screen.line(`${call.screen.paint('bold', runId)}: talking with ${agent} from ${module.path}`);
  return converse(call, { workplace, module, runId }, (runtime) =>
    runtime.start(chatName(agent), options.message ?? '', {
      budget: limits,
      id: runId,
      source: module.path,
      subject: whoAmI(),
    }),
  );
}

async function resumed(call: Call, { runId, options }: Given): Promise<ExitCode> {
  const workplace = await openExisting(call.place, runId);
  const record = await workplace.desk.get(runId);
  if (record.source === undefined)
    throw new FlyballError(
      'AGENT_UNKNOWN',
      `Run ${runId} was not started from a file, so its agent cannot be loaded here.`,
    );
  const module = await loadAgentModule(record.source);
  const larger = options.budget === undefined ? {} : { budget: options.budget };
  return converse(call, { workplace, module, runId }, (runtime) => runtime.resume(runId, { by: whoAmI(), ...larger }));
}

async function converse(
  { screen }: Call,
  { workplace, module, runId }: { readonly workplace: Workplace; readonly module: AgentModule; readonly runId: string },
  launch: (runtime: ReturnType<Workplace['runner']>) => Promise<ReturnType<ReturnType<Workplace['runner']>['handle']>>,
): Promise<ExitCode> {
  const runtime = workplace.runner(module, runId);
  const person = personOn(process.stdin, screen);
  try {
    return await talk({
      workplace,
      runtime,
      runId,
      screen,
      person,
      write: (text) => void process.stdout.write(text),
      launch: () => launch(runtime),
    });
  } finally {
    person.close();
    await workplace.close();
  }
}
