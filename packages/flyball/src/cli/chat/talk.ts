import { MESSAGE } from '../../agents/conversation.js';
import { failureOf } from '../../core/errors.js';
import type { RunHandle, Runtime } from '../../index.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { whoAmI } from '../place.js';
import type { Screen } from '../screen.js';
import type { Workplace } from '../workplace.js';
import type { ChatQuestion, Understood, Wait } from './chat-question.js';
import { ended, left, paused, sayHowToGoOn } from './endings.js';
import { Feed } from './feed.js';
import type { Person } from './person.js';
import { questionFor } from './questions.js';

export interface Talk {
  readonly workplace: Workplace;
  readonly runtime: Runtime;
  readonly runId: string;
  readonly screen: Screen;
  readonly person: Person;
  readonly write: (text: string) => void;
  /** What to say first, without asking for it. */
  readonly opening: string | undefined;
  readonly launch: () => Promise<RunHandle>;
}

const HELP = 'Type a message. /bye ends the conversation, Ctrl-D leaves it open, Ctrl-C pauses it.';

/** Carries a conversation between a person and a run until one of them ends it. */
export async function talk(given: Talk): Promise<ExitCode> {
  const feed = new Feed(given);
  const leaving = new AbortController();
  let exitCode: ExitCode = EXIT.interrupted;
  given.person.onInterrupt((signal) => {
    exitCode = signal === 'SIGTERM' ? EXIT.terminated : EXIT.interrupted;
    if (leaving.signal.aborted) leaveAtOnce(given, exitCode);
    leaving.abort();
  });
  try {
    const handle = await feed.open(given.launch);
    given.screen.line(given.screen.paint('dim', HELP));
    const finished = handle.finished().then(
      () => ({ end: 'ended' as const }),
      (error: unknown) => ({ end: 'broken' as const, error }),
    );
    const rest = await new Exchange(given, feed, { leaving: leaving.signal, finished }).untilRest();
    return rest === 'stopped' ? await paused(given, exitCode) : rest;
  } finally {
    feed.close();
  }
}

/** The journal survives that as it survives a crash. */
function leaveAtOnce(given: Talk, exitCode: ExitCode): never {
  sayHowToGoOn(given, 'left');
  process.exit(exitCode);
}

interface Ends {
  /** The person wants to go. */
  readonly leaving: AbortSignal;
  /** The run has ended, or was set aside. */
  readonly finished: Promise<{ readonly end: 'ended' } | { readonly end: 'broken'; readonly error: unknown }>;
}

type Answer = { readonly payload: unknown } | 'left' | 'withdrawn';

/** Questions of the run and answers of the person, one after the other. */
class Exchange {
  private readonly given: Talk;
  private readonly feed: Feed;
  private readonly ends: Ends;
  private opening: string | undefined;

  constructor(given: Talk, feed: Feed, ends: Ends) {
    this.given = given;
    this.feed = feed;
    this.ends = ends;
    this.opening = given.opening;
  }

  async untilRest(): Promise<ExitCode | 'stopped'> {
    for (;;) {
      const wait = await Promise.race([this.feed.waits.next(this.ends.leaving), this.ends.finished]);
      if (wait === 'stopped') return 'stopped';
      if (wait === 'ended') return ended(this.given);
      if ('end' in wait) {
        if (wait.end === 'broken') throw wait.error;
        return ended(this.given);
      }
      const answer = this.opened(wait) ?? (await this.ask(wait));
      if (answer === 'left') return left(this.given);
      if (answer !== 'withdrawn') await this.send(wait, answer.payload);
    }
  }

  private opened({ name }: Wait): Answer | undefined {
    if (this.opening === undefined || name !== MESSAGE) return undefined;
    const text = this.opening;
    this.opening = undefined;
    return { payload: { text } };
  }

  /** Asks until it is answered, until the person leaves, or until the question is void because somebody else answered it. */
  private async ask(wait: Wait): Promise<Answer> {
    const { screen } = this.given;
    let question = questionFor(wait, screen);
    this.feed.rest();
    for (const line of question.above) screen.line(line);
    for (;;) {
      const answer = await this.askOnce(wait, question);
      if (typeof answer === 'string' || 'payload' in answer) return answer;
      if ('next' in answer) {
        question = answer.next;
        for (const line of question.above) screen.line(line);
      } else if (answer.again !== undefined) screen.complain(`  ${answer.again}`);
    }
  }

  private async askOnce(wait: Wait, question: ChatQuestion): Promise<Understood | 'left' | 'withdrawn'> {
    const { leaving, finished } = this.ends;
    const over = new AbortController();
    const withdraw = (): void => over.abort();
    leaving.addEventListener('abort', withdraw);
    void this.feed.waits.settled(wait, over.signal).then(withdraw);
    void finished.then(withdraw);
    if (leaving.aborted) withdraw();
    this.feed.hold();
    const line = await this.given.person.ask(question.prompt, { kind: question.kind, withdrawn: over.signal });
    this.feed.release();
    leaving.removeEventListener('abort', withdraw);
    const isVoid = over.signal.aborted;
    over.abort();
    if (isVoid) return 'withdrawn';
    return line === undefined ? 'left' : question.read(line);
  }

  private async send(wait: Wait, payload: unknown): Promise<void> {
    const { runtime, runId, screen } = this.given;
    this.feed.answeredHere(wait);
    try {
      await runtime.signal(runId, wait.token, payload, { from: whoAmI(), scopes: ['*'] });
    } catch (error) {
      const { code, message } = failureOf(error);
      screen.complain(message);
      // it does not fit: asked again. Somebody else has to answer, or has answered: it is not
      if (code !== 'DENIED' && code !== 'SIGNAL_UNEXPECTED') this.feed.waits.askAgain(wait);
    }
  }
}
