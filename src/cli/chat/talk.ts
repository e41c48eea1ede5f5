import { MESSAGE } from '../../agents/conversation.js';
import { failureOf } from '../../core/errors.js';
import type { Entry, EventOf } from '../../core/events.js';
import type { RunHandle, Runtime } from '../../index.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import type { Screen } from '../screen.js';
import type { Workplace } from '../workplace.js';
import { whoAmI } from '../workplace.js';
import { ChatView } from './chat-view.js';
import { OpenWaits } from './open-waits.js';
import type { Person } from './person.js';

export interface Talk {
  readonly workplace: Workplace;
  readonly runtime: Runtime;
  readonly runId: string;
  readonly screen: Screen;
  readonly person: Person;
  readonly write: (text: string) => void;
  readonly launch: () => Promise<RunHandle>;
}

const BYE = /^\/(?:bye|exit|quit)$/;
const HELP = 'Type a message. /bye ends the conversation, Ctrl-D leaves it open, Ctrl-C pauses it.';

/** Carries a conversation between a person and a run until one of them ends it. */
export async function talk(given: Talk): Promise<ExitCode> {
  const { runtime, runId, screen, person } = given;
  const waits = new OpenWaits();
  const view = new ChatView(screen, given.write);
  const told = new Set<string>();
  const tell = (entries: readonly Entry[], isNew: boolean): void => {
    for (const entry of entries) {
      const position = `${entry.generation}:${entry.seq}`;
      if (told.has(position)) continue;
      told.add(position);
      if (isNew) view.entry(runId, entry);
      waits.apply(entry);
    }
  };
  const stops = [
    runtime.subscribe((id, entries) => id === runId && tell(entries, true)),
    runtime.subscribeDeltas((id, _effect, _attempt, delta) => id === runId && view.delta(delta)),
  ];
  const leaving = new AbortController();
  person.onInterrupt(() => (leaving.signal.aborted ? process.exit(EXIT.interrupted) : leaving.abort()));
  try {
    tell(await runtime.entries(runId).catch(() => []), false);
    const handle = await given.launch();
    tell(await runtime.entries(runId), true);
    screen.line(screen.paint('dim', HELP));
    const broken = handle.finished().then(
      () => undefined,
      (error: unknown) => error,
    );
    return await converse(given, waits, { leaving: leaving.signal, broken });
  } finally {
    for (const stop of stops) stop();
    person.close();
  }
}

async function converse(
  given: Talk,
  waits: OpenWaits,
  { leaving, broken }: { readonly leaving: AbortSignal; readonly broken: Promise<unknown> },
): Promise<ExitCode> {
  for (;;) {
    const wait = await Promise.race([waits.next(leaving), broken.then((error) => ({ error }))]);
    if (wait === 'stopped') return paused(given);
    if (wait === 'ended') return ended(given);
    if ('error' in wait) {
      if (wait.error !== undefined) throw wait.error;
      return ended(given);
    }
    const answer = await Promise.race([answerTo(given, wait), aborted(leaving)]);
    if (answer === 'stopped') return paused(given);
    if (answer === 'left') return left(given);
    if (answer !== undefined) await send(given, waits, wait, answer);
    else waits.askAgain(wait);
  }
}

type Wait = EventOf<'wait-start'>;

/** What the person answers to what the run waits for; undefined when it has to be asked again. */
async function answerTo({ person, screen }: Talk, wait: Wait): Promise<unknown> {
  switch (wait.kind) {
    case 'signal': {
      const text = await person.ask(screen.paint('bold', wait.name === MESSAGE ? '> ' : `${wait.name} (JSON)> `));
      if (text === undefined) return 'left';
      if (text.trim() === '') return undefined;
      if (wait.name !== MESSAGE) return jsonOf(text, screen);
      return BYE.test(text.trim()) ? { end: true } : { text };
    }
    case 'approval':
      return verdict(await person.ask(`${approvalText(wait, screen)} ${screen.paint('bold', '[y/N, or why not] ')}`));
    case 'doubt':
      return happened(await person.ask(`${doubtText(wait, screen)} ${screen.paint('bold', '[y/n] ')}`));
  }
}

function jsonOf(text: string, screen: Screen): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    screen.complain(`That is not JSON: ${failureOf(error).message}`);
    return undefined;
  }
}

function verdict(answer: string | undefined): unknown {
  if (answer === undefined) return 'left';
  const word = answer.trim();
  if (/^y(es)?$/i.test(word)) return { verdict: 'approve' };
  return { verdict: 'reject', reason: /^(n|no)?$/i.test(word) ? 'the person said no' : word };
}

function happened(answer: string | undefined): unknown {
  if (answer === undefined) return 'left';
  const word = answer.trim().toLowerCase();
  if (word.startsWith('y')) return { happened: true, result: null };
  return word.startsWith('n') ? { happened: false } : undefined;
}

function approvalText({ request, name }: Wait, screen: Screen): string {
  const { action, input, why } = (request ?? {}) as {
    readonly action?: string;
    readonly input?: unknown;
    readonly why?: string;
  };
  const about = `${action ?? name} ${JSON.stringify(input ?? null)}`;
  return `${screen.paint('yellow', '?')} Let it call ${screen.paint('bold', about)}${why === undefined ? '' : ` (${why})`}?`;
}

function doubtText({ request, name }: Wait, screen: Screen): string {
  const action = (request as { readonly action?: unknown } | undefined)?.action;
  return `${screen.paint('yellow', '?')} Nothing proves whether ${screen.paint('bold', String(action ?? name))} happened. Did it?`;
}

async function send({ runtime, runId, screen }: Talk, waits: OpenWaits, wait: Wait, payload: unknown): Promise<void> {
  try {
    await runtime.signal(runId, wait.name, payload, { from: whoAmI() });
  } catch (error) {
    screen.complain(failureOf(error).message); // the answer does not fit: asked again
    waits.askAgain(wait);
  }
}

function aborted(signal: AbortSignal): Promise<'stopped'> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve('stopped');
    signal.addEventListener('abort', () => resolve('stopped'), { once: true });
  });
}

async function paused({ runtime, runId, screen, workplace }: Talk): Promise<ExitCode> {
  screen.line();
  screen.complain('Pausing at a safe point. Press Ctrl-C again to leave at once: nothing is lost either way.');
  await runtime.pause(runId, { by: whoAmI() });
  await runtime.close({ drainMs: 60_000 });
  sayHowToGoOn('paused', { runId, screen, workplace });
  return EXIT.interrupted;
}

function left({ runId, screen, workplace }: Talk): ExitCode {
  screen.line();
  sayHowToGoOn('left open', { runId, screen, workplace });
  return EXIT.ok;
}

function sayHowToGoOn(state: string, { runId, screen, workplace }: Pick<Talk, 'runId' | 'screen' | 'workplace'>): void {
  const next = workplace.command('chat', '--resume', runId);
  screen.data({ kind: state, run: runId, next: [next] });
  screen.line(`${screen.paint('bold', runId)} is ${state}. Go on with:\n    ${screen.paint('cyan', next)}`);
}

async function ended({ runtime, runId, screen }: Talk): Promise<ExitCode> {
  const outcome = await runtime.handle(runId).outcome();
  screen.data({ kind: 'rest', run: runId, status: outcome.stop, outcome });
  const why =
    outcome.stop === 'bounded'
      ? `: ${outcome.bound} reached its limit of ${outcome.limit}`
      : 'because' in outcome
        ? `: ${outcome.because}`
        : '';
  screen.line(screen.paint('dim', `The conversation is ${outcome.stop}${why}.`));
  return exitOf(outcome.stop);
}

function exitOf(stop: string): ExitCode {
  return stop === 'done'
    ? EXIT.ok
    : stop === 'bounded'
      ? EXIT.bounded
      : stop === 'cancelled'
        ? EXIT.cancelled
        : EXIT.failed;
}
