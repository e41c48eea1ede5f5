import type { Command } from 'commander';
import type { Verdict } from '../../core/approval.js';
import { isBlank } from '../../core/blank.js';
import { ConfigError } from '../../core/errors.js';
import { type Call, newCommand, type Perform } from '../command.js';
import type { ExitCode } from '../exit-codes.js';
import { readJson } from '../json-argument.js';
import { oneRequest } from '../one-request.js';
import { type SignalOptions, sendSignal, withReviewerOptions } from './signal.js';

/** Verdicts on the action or output that a run waits for approval of. */

interface Options extends SignalOptions {
  readonly reason?: string;
  readonly reask?: boolean;
  readonly recommended?: boolean;
}

const WHICH = 'If several requests are open, name one by its effect (as printed by show and inbox) or its action.';

export function approveCommand(perform: Perform): Command {
  const command = newCommand('approve <run> [request]', `Approve an action or output of a run. ${WHICH}`, [
    'flyball approve run_1f0c',
    'flyball approve run_1f0c --as alice --reason "checked against the contract"',
    "flyball approve run_1f0c '#4'",
    'flyball approve run_1f0c --recommended',
  ]);
  return withReviewerOptions(command)
    .option('--reason <text>', 'reason recorded in the journal')
    .option('--recommended', 'approve the recommended alternative, as printed by show and inbox')
    .action((runId: string, named: string | undefined, options: Options) =>
      perform(options, { runId }, (call) => {
        const recommended = options.recommended === true ? ({ recommended: true } as const) : {};
        const verdict = { verdict: 'approve', ...reasonIn(options), ...recommended } as const;
        return decide(call, { runId, named, verdict, options });
      }),
    );
}

export function rejectCommand(perform: Perform): Command {
  const about = `Reject an action or output of a run. The action is not performed, and the run cannot ask for it again; the agent sees the reason and decides what to do. ${WHICH}`;
  const command = newCommand('reject <run> [request]', about, [
    "flyball reject run_1f0c --reason 'over the limit for this customer'",
  ]);
  return withReviewerOptions(command)
    .option('--reason <text>', 'why; required. The agent sees it, and it is recorded in the journal')
    .option('--reask', 'not final: the agent may ask for the same action again')
    .action((runId: string, named: string | undefined, options: Options) =>
      perform(options, { runId }, (call) => {
        const reask = options.reask === true ? { reask: true } : {};
        const verdict = { verdict: 'reject', reason: reasonFor(options, 'reject'), ...reask } as const;
        return decide(call, { runId, named, verdict, options });
      }),
    );
}

export function modifyCommand(perform: Perform): Command {
  const about = `Change an action or output that waits for approval: give new arguments or a new output as JSON, @file, or - for standard input. The new version passes all checks again and then needs a new approval. ${WHICH}`;
  const command = newCommand('modify <run> <value> [request]', about, [
    `flyball modify run_1f0c '{"to":"ada@example.com","amount":90}' --reason 'the discount applies'`,
  ]);
  return withReviewerOptions(command)
    .option('--reason <text>', 'reason recorded in the journal')
    .action((runId: string, value: string, named: string | undefined, options: Options) =>
      perform(options, { runId }, (call) => {
        const verdict = { verdict: 'modify', value: readJson(value, 'The value'), ...reasonIn(options) } as const;
        return decide(call, { runId, named, verdict, options });
      }),
    );
}

export function escalateCommand(perform: Perform): Command {
  const about = `Pass the decision to the next person. Refused if there is nobody left to ask. ${WHICH}`;
  const command = newCommand('escalate <run> [request]', about, [
    "flyball escalate run_1f0c --reason 'above what I may sign'",
  ]);
  return withReviewerOptions(command)
    .option('--reason <text>', 'why; required. The next person sees it')
    .action((runId: string, named: string | undefined, options: Options) =>
      perform(options, { runId }, (call) =>
        decide(call, {
          runId,
          named,
          verdict: { verdict: 'escalate', reason: reasonFor(options, 'escalate') },
          options,
        }),
      ),
    );
}

function reasonIn({ reason }: Options): { readonly reason?: string } {
  return reason === undefined ? {} : { reason };
}

/** Whoever is turned down can only do better when they know why. */
function reasonFor({ reason }: Options, verdict: 'reject' | 'escalate'): string {
  if (reason !== undefined && !isBlank(reason)) return reason;
  const who = verdict === 'reject' ? 'the agent sees it' : 'the next person sees it';
  throw new ConfigError(`A reason is required to ${verdict}: ${who}. Add --reason '…'.`);
}

const SAID = { approve: 'approved', reject: 'rejected', modify: 'modified', escalate: 'escalated' } as const;

async function decide(
  call: Call,
  given: {
    readonly runId: string;
    readonly named: string | undefined;
    readonly verdict: Verdict;
    readonly options: SignalOptions;
  },
): Promise<ExitCode> {
  const { runId, named, verdict, options } = given;
  const { token, about } = await oneRequest(call, { runId, kind: 'approval', named });
  const said = `${about}: ${SAID[verdict.verdict]}`;
  return sendSignal(call, { runId, name: token, payload: verdict, options, said });
}
