import { FlyballError } from '../../core/errors.js';
import type { Outcome } from '../../core/outcome.js';
import type { Runtime } from '../../index.js';
import { outcomeText } from '../../views/timeline-sentences.js';
import { EXIT, type ExitCode, exitCodeOfOutcome } from '../exit-codes.js';
import { whoAmI } from '../place.js';
import { printable } from '../printable.js';
import { resumeLarger } from '../run-header.js';
import type { Screen } from '../screen.js';
import type { Workplace } from '../workplace.js';
import { chatName, goOnCommand } from './chat-name.js';

interface Ending {
  readonly runtime: Runtime;
  readonly runId: string;
  readonly screen: Screen;
  readonly workplace: Workplace;
}

/** Ctrl-C: what is in flight ends, nothing new starts, and nobody but `--resume` goes on with it. */
export async function paused(talk: Ending, exitCode: ExitCode): Promise<ExitCode> {
  const { runtime, runId, screen } = talk;
  screen.complain('Pausing at a safe point. Press Ctrl-C again to exit immediately; nothing is lost either way.');
  try {
    await runtime.pause(runId, { by: whoAmI() });
    const outcome = await (await runtime.wake(runId)).outcome(); // one that only waits has to be told
    if (outcome.stop !== 'suspended') return ended(talk);
  } catch (error) {
    if (error instanceof FlyballError && error.code === 'ALREADY_TERMINAL') return ended(talk);
    throw error;
  }
  sayHowToGoOn(talk, 'paused');
  return exitCode;
}

/** Ctrl-D, or the end of the input: it waits for the next message without a process. */
export async function left(talk: Ending): Promise<ExitCode> {
  const outcome = await talk.runtime.handle(talk.runId).outcome(); // it rests in a moment, and is then nobody's
  if (outcome.stop !== 'suspended') return ended(talk);
  sayHowToGoOn(talk, 'left');
  return EXIT.ok;
}

const STATES = { paused: 'is paused', left: 'is left open' } as const;

export function sayHowToGoOn({ runId, screen, workplace }: Ending, state: keyof typeof STATES): void {
  const next = workplace.command('chat', '--resume', runId);
  screen.data({ kind: state, run: runId, next: [next] });
  screen.line(`${screen.paint('bold', runId)} ${STATES[state]}. Continue with:\n    ${screen.paint('cyan', next)}`);
}

export async function ended({ runtime, runId, screen, workplace }: Ending): Promise<ExitCode> {
  const outcome = await runtime.handle(runId).outcome();
  const run = { id: runId, agent: chatName('') };
  const next =
    outcome.stop === 'bounded'
      ? [resumeLarger(run, { outcome }, workplace.command)]
      : outcome.stop === 'suspended'
        ? [goOnCommand(run, workplace.command)]
        : [];
  screen.data({ kind: 'rest', run: runId, status: outcome.stop, outcome, next });
  screen.line(sentenceFor(outcome));
  for (const command of next) screen.line(`    ${screen.paint('cyan', command)}`);
  return exitCodeOfOutcome(outcome);
}

function sentenceFor(outcome: Outcome<unknown>): string {
  if (outcome.stop === 'done') return 'The conversation has ended.';
  const how = printable(outcomeText(outcome));
  if (outcome.stop === 'bounded') return `The conversation ${how}. To continue with a larger budget:`;
  return `The conversation ${how}.`;
}
