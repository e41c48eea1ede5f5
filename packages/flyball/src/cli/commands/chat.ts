import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type Budget, budget } from '../../core/budget.js';
import { ConfigError, FlyballError } from '../../core/errors.js';
import type { RunHandle, Runtime } from '../../index.js';
import type { RunRecord } from '../../ports/engine.js';
import { type AgentModule, chooseAgent, loadAgentModule } from '../agent-module.js';
import { collectBudget } from '../budget-option.js';
import { chatName, isChat } from '../chat/chat-name.js';
import { Keyboard } from '../chat/keyboard.js';
import type { Person } from '../chat/person.js';
import { pipedLines } from '../chat/piped-lines.js';
import { talk } from '../chat/talk.js';
import { type Call, type CommonOptions, newCommand, type Perform } from '../command.js';
import type { ExitCode } from '../exit-codes.js';
import { filesOf, whoAmI } from '../place.js';
import type { Screen } from '../screen.js';
import { loadForRun, refuseEnded } from '../steer.js';
import { openExisting, openWorkplace, type Workplace } from '../workplace.js';

interface Options extends CommonOptions {
  readonly agent?: string;
  readonly resume?: string;
  readonly message?: string;
  readonly budget?: Partial<Budget>;
}

const ABOUT =
  'Chat with an agent. Replies are streamed, tool calls are shown as they happen, and you approve actions inline. ' +
  'The conversation is one durable run: Ctrl-C pauses it, Ctrl-D leaves it open, and --resume continues it. ' +
  'Without a terminal each line of standard input is the next answer.';

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
    'flyball chat --resume chat_1f0c',
    "echo 'What is in this folder?' | flyball chat agent.yaml",
  ])
    .option('--agent <name>', 'which agent of the file; required if it exports several')
    .option('--resume <run>', 'continue a conversation')
    .option('--message <text>', 'the first message')
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

function chat(call: Call, given: Given): Promise<ExitCode> {
  return given.options.resume === undefined ? begin(call, given) : goOn(call, given);
}

async function begin(call: Call, { file, runId, options }: Given): Promise<ExitCode> {
  if (file === undefined)
    throw new ConfigError('Name an agent file: flyball chat <file>. To create one, run flyball init.');
  call.screen.status(`loading ${file} …`);
  const module = await loadAgentModule(file, process.env, filesOf(call.place));
  const agent = chooseAgent(module, options.agent);
  const limits = budget({ ...CONVERSATION, ...module.budgets[agent], ...options.budget });
  const workplace = await openWorkplace(call.place);
  call.screen.status('');
  call.screen.line(`${call.screen.paint('bold', runId)}: chatting with ${agent} from ${module.path}`);
  return converse(call, { workplace, module, runId, opening: options.message }, (runtime) =>
    runtime.start(chatName(agent), null, { budget: limits, id: runId, source: module.path, subject: whoAmI() }),
  );
}

async function goOn(call: Call, { file, runId, options }: Given): Promise<ExitCode> {
  const workplace = await openExisting(call.place, runId);
  const module = await moduleFor(workplace, { runId, file, options }).catch(async (error: unknown) => {
    await workplace.close();
    throw error;
  });
  const larger = options.budget === undefined ? {} : { budget: options.budget };
  call.screen.line(`${call.screen.paint('bold', runId)}: continuing with the agent from ${module.path}`);
  return converse(call, { workplace, module, runId, opening: options.message }, (runtime) =>
    runtime.resume(runId, { by: whoAmI(), ...larger }),
  );
}

async function moduleFor(
  { desk, command, ...place }: Workplace,
  { runId, file, options }: Given,
): Promise<AgentModule> {
  const record = await desk.get(runId);
  if (!isChat(record.agent))
    throw new ConfigError(`Run ${runId} is not a conversation. To continue it, run: ${command('resume', runId)}`);
  const source = sourceOf(record);
  if ((file !== undefined && resolve(file) !== source) || options.agent !== undefined)
    throw new ConfigError(`Run ${runId} continues with its own agent from ${source}. Omit the file and --agent.`);
  await refuseEnded(desk, record);
  return loadForRun(source, place);
}

function sourceOf({ id, source }: RunRecord): string {
  if (source !== undefined) return source;
  throw new FlyballError(
    'AGENT_UNKNOWN',
    `Run ${id} was not started from a file, so its agent cannot be loaded here.`,
    {
      detail: { next: 'Continue it in the program that started it.' },
    },
  );
}

interface Place {
  readonly workplace: Workplace;
  readonly module: AgentModule;
  readonly runId: string;
  readonly opening: string | undefined;
}

async function converse(
  { screen }: Call,
  { workplace, module, runId, opening }: Place,
  launch: (runtime: Runtime) => Promise<RunHandle>,
): Promise<ExitCode> {
  const runtime = workplace.runner(module, runId);
  const write = (text: string): void => void process.stdout.write(text);
  const person = personAt(screen, write);
  try {
    return await talk({ workplace, runtime, runId, screen, person, write, opening, launch: () => launch(runtime) });
  } finally {
    person.close();
    await workplace.close();
  }
}

function personAt(screen: Screen, write: (text: string) => void): Person {
  if (process.stdin.isTTY && process.stdout.isTTY && !screen.json) return new Keyboard(process.stdin, process.stdout);
  return pipedLines(process.stdin, screen.json ? () => undefined : write);
}
