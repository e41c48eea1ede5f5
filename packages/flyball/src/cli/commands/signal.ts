import type { Command } from 'commander';
import type { Receipt } from '../../runtime/runtime.js';
import { type Call, type CommonOptions, newCommand, type Perform } from '../command.js';
import type { ExitCode } from '../exit-codes.js';
import { readJson } from '../json-argument.js';
import { whoAmI } from '../place.js';
import { steer } from '../steer.js';

export interface SignalOptions extends CommonOptions {
  readonly as?: string;
  readonly scope?: readonly string[];
  readonly signalId?: string;
  readonly wake: boolean;
}

interface SentOptions extends SignalOptions {
  readonly from?: string;
}

const ABOUT =
  'Send a signal to a run that waits for it now, or will wait for it later. ' +
  'The payload is JSON, @file, or - for standard input, and is checked against the schema that the run declared. ' +
  'The signal is stored first. Then the run continues in this process, unless another process is running it.';

export function signalCommand(perform: Perform): Command {
  return withSendingOptions(
    newCommand('signal <run> <name> [payload]', ABOUT, [
      `flyball signal run_1f0c answer '{"text":"yes"}'`,
      'flyball signal run_1f0c order-arrived @order.json --signal-id delivery-77',
      'flyball signal run_1f0c go --no-wake',
    ]),
  )
    .option('--from <who>', 'who sends it, for the journal (default: you)')
    .action((runId: string, name: string, payload: string | undefined, { from, ...options }: SentOptions) =>
      perform(options, { runId }, async (call) => {
        const value = payload === undefined ? undefined : readJson(payload, 'The payload');
        const who = from === undefined ? options : { ...options, as: from };
        return sendSignal(call, { runId, name, payload: value, options: who });
      }),
    );
}

function withSendingOptions(command: Command): Command {
  return command
    .option('--signal-id <id>', 'deliver only once, even if it is sent again with this id')
    .option('--no-wake', 'only store it; do not continue the run here');
}

/** Who decides, and what they may do: whoever sits at the database may do anything, unless they say otherwise. */
export function withReviewerOptions(command: Command): Command {
  return withSendingOptions(command)
    .option('--as <who>', 'who decides, for the journal (default: you)')
    .option(
      '--scope <scope>',
      'a scope that this person has; repeat it for several (default: all)',
      (scope: string, before: readonly string[] = []) => [...before, scope],
    );
}

/** What the sender has to know beside that it is stored: a name that nobody waits for may be a slip of the pen. */
function becameOf(name: string, { delivery, waiting }: Receipt): string | undefined {
  switch (delivery) {
    case 'delivered':
      return undefined;
    case 'duplicate':
      return 'A signal with this id was already delivered';
    case 'buffered':
      return waiting.length === 0 || waiting.includes(name)
        ? `Stored until the run waits for "${name}"`
        : `Stored: the run does not wait for "${name}" now, but for ${waiting.map((one) => `"${one}"`).join(', ')}`;
  }
}

export function sendSignal(
  call: Call,
  given: {
    readonly runId: string;
    readonly name: string;
    readonly payload: unknown;
    readonly options: SignalOptions;
    readonly said?: string;
  },
): Promise<ExitCode> {
  const { runId, name, payload, options } = given;
  return steer(call, {
    runId,
    said: given.said ?? `Signal "${name}" is stored`,
    wake: options.wake,
    wakes: ['pending', 'running', 'suspended'],
    post: async ({ desk }) => {
      const receipt = await desk.signal(runId, name, payload, {
        from: options.as ?? whoAmI(),
        scopes: options.scope ?? ['*'],
        ...(options.signalId === undefined ? {} : { id: options.signalId }),
      });
      return becameOf(name, receipt);
    },
  });
}
