import type { Command } from 'commander';
import { ConfigError } from '../../core/errors.js';
import type { Waiting } from '../../core/outcome.js';
import { summarise } from '../../views/summary.js';
import { questionsOf } from '../answers.js';
import { type Call, newCommand, type Perform } from '../command.js';
import type { ExitCode } from '../exit-codes.js';
import { openExisting } from '../workplace.js';
import { type SignalOptions, sendSignal, withSignalOptions } from './signal.js';

interface Verdict {
  readonly verdict: 'approve' | 'reject';
  readonly reason?: string;
}

export function approveCommand(perform: Perform): Command {
  const command = newCommand('approve <run>', 'Approve the one action that a run waits for approval of.', [
    'flyball approve run_1f0c',
    'flyball approve run_1f0c --from alice',
  ]);
  return withSignalOptions(command).action((runId: string, options: SignalOptions) =>
    perform(options, { runId }, (call) => answer(call, { runId, verdict: { verdict: 'approve' }, options })),
  );
}

export function rejectCommand(perform: Perform): Command {
  const command = newCommand(
    'reject <run>',
    'Reject the one action that a run waits for approval of. It is not made; the agent sees why and decides what to do.',
    ["flyball reject run_1f0c --reason 'over the limit for this customer'"],
  );
  return withSignalOptions(command)
    .option('--reason <text>', 'what the agent and the journal are told')
    .action((runId: string, options: SignalOptions & { readonly reason?: string }) => {
      const { reason } = options;
      const verdict = { verdict: 'reject', ...(reason === undefined ? {} : { reason }) } as const;
      return perform(options, { runId }, (call) => answer(call, { runId, verdict, options }));
    });
}

async function answer(
  call: Call,
  { runId, verdict, options }: { readonly runId: string; readonly verdict: Verdict; readonly options: SignalOptions },
): Promise<ExitCode> {
  const { name, token, request } = await onlyApproval(call, runId);
  const action = (request as { readonly action?: unknown } | null | undefined)?.action;
  const said = `${typeof action === 'string' ? action : name}: ${verdict.verdict === 'approve' ? 'approved' : 'rejected'}`;
  return sendSignal(call, { runId, name: token ?? name, payload: verdict, options, said });
}

async function onlyApproval({ place }: Call, runId: string): Promise<Waiting> {
  const { command } = place;
  const workplace = await openExisting(place, runId);
  try {
    await workplace.desk.get(runId);
    const entries = await workplace.desk.entries(runId);
    const waiting = summarise(entries).waiting.filter(({ kind }) => kind === 'approval');
    const [first, ...others] = waiting;
    if (first === undefined) {
      throw new ConfigError(`Run ${runId} waits for no approval. See what it does: ${command('show', runId)}`);
    }
    if (others.length === 0) return first;
    const commands = questionsOf({ runId, waiting, entries, command }).map((question) => question.commands[0]);
    throw new ConfigError(
      `Run ${runId} waits for ${waiting.length} approvals. Answer one of them: ${commands.join('; ')}`,
    );
  } finally {
    await workplace.close();
  }
}
