import type { Command } from 'commander';
import { newCommand, type Perform } from '../command.js';
import { readJson } from '../json-argument.js';
import { oneRequest } from '../one-request.js';
import { type SignalOptions, sendSignal, withReviewerOptions } from './signal.js';

const ABOUT =
  'Answer a question from a run, or say whether an interrupted action took place. The answer is JSON, @file, ' +
  'or - for standard input, and is checked against the schema of the question. If several requests are open, name one by its ' +
  'effect (as printed by show and inbox) or its tool.';

export function answerCommand(perform: Perform): Command {
  return withReviewerOptions(
    newCommand('answer <run> <value> [request]', ABOUT, [
      'flyball answer run_1f0c true',
      `flyball answer run_1f0c '"next Tuesday"'`,
      `flyball answer run_1f0c '{"happened":false}'`,
      `flyball answer run_1f0c '{"name":"Ada","age":36}' '#4' --as ada`,
    ]),
  ).action((runId: string, value: string, named: string | undefined, options: SignalOptions) =>
    perform(options, { runId }, async (call) => {
      const payload = readJson(value, 'The answer');
      const { token, about } = await oneRequest(call, { runId, kind: 'answer', named });
      return sendSignal(call, { runId, name: token, payload, options, said: `${about}: answered` });
    }),
  );
}
