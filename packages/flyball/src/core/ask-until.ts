import { FlyballError } from './errors.js';
import type { FinishReason } from './model.js';
import { append, type Prompt } from './prompt.js';
import type { Run } from './run.js';
import type { Input, Reply, Session } from './session.js';

/** How often a model is asked again by default: three replies in all. */
export const MOST_REASKS = 2;
/** A problem can quote a whole reply, which stands right before it. */
const LONGEST_PROBLEM = 2000;

/**
 * The result of reading a reply. `CLAIM_UNPROVEN` means that it could be read, but claims something that did not
 * happen.
 */
export type Read<T> = { readonly ok: true; readonly value: T } | Refused;

/** A reply that cannot be used, and why. */
export interface Refused {
  readonly ok: false;
  readonly problem: string;
  readonly code?: 'REPLY_INVALID' | 'CLAIM_UNPROVEN';
  /** What helps to answer better: only the model reads it. */
  readonly advice?: string;
}

type Replied = Pick<Reply<unknown>, 'text' | 'finish' | 'toolCalls' | 'prompt'>;

/** The result of `askUntil`: the value or the error, and the last reply. */
export type Asked<T, R = Reply<string>> = (
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: string; readonly error: FlyballError }
) & { readonly reply: R; readonly tries: number };

/**
 * Asks until `read` accepts the reply, at most `most` more times. Each time, the model is told what was wrong. Every
 * call is a separate effect: journaled, and reserved in the budget when it is made. `read` may use the run.
 */
export async function askUntil<T>(
  run: Pick<Run, 'ask' | 'note'>,
  session: Session,
  input: Input,
  read: (reply: Reply<string>) => Read<T> | Promise<Read<T>>,
  most: number = MOST_REASKS,
): Promise<Asked<T>> {
  return askingUntil(run, new Reasks(session.name, most), (tip) => run.ask(session, tip), input, read);
}

/** The one loop, over whatever makes a single call. */
export async function askingUntil<T, R extends Replied>(
  run: Pick<Run, 'note'>,
  reasks: Reasks,
  ask: (input: Input) => Promise<R>,
  input: Input,
  read: (reply: R) => Read<T> | Promise<Read<T>>,
): Promise<Asked<T, R>> {
  let tip = input;
  for (let tries = 1; ; tries++) {
    const reply = await ask(tip);
    const got = await read(reply);
    if (got.ok) return { ...got, reply, tries };
    const next = reasks.after(run, reply, got);
    if (next instanceof FlyballError) return { ok: false, problem: got.problem, error: next, reply, tries };
    tip = next;
  }
}

/**
 * The one rule for replies that cannot be used, and the words for it. Apart from the loop above, because a tool loop may
 * make calls between two answers.
 */
export class Reasks {
  /** Replies that were refused. */
  refused = 0;
  private last: string | undefined;
  private readonly name: string;
  private readonly most: number;

  constructor(name: string, most: number) {
    this.name = name;
    this.most = most;
  }

  /** What is asked next, or the error with which asking ends. */
  after(run: Pick<Run, 'note'>, reply: Replied, refused: Refused): Prompt | FlyballError {
    const { problem, code = 'REPLY_INVALID' } = refused;
    this.refused++;
    run.note({ kind: REPLY_REFUSED, session: this.name, code, problem, tries: this.refused });
    const why = this.endsWith(reply);
    if (why !== undefined) return exhausted(this.name, code, { problem, why, tries: this.refused });
    this.last = reply.text;
    return append(settled(reply), { role: 'user', content: reaskText(refused), owner: 'reask', trust: 'system' });
  }

  private endsWith({ text, finish }: Replied): string | undefined {
    const broken = BROKEN_OFF[finish];
    if (broken !== undefined) return broken;
    if (text === this.last) return 'the model repeated the same reply'; // asking again would only buy it once more
    return this.refused > this.most ? '' : undefined;
  }
}

/** Providers refuse a conversation with a call that has no result. */
function settled({ prompt, toolCalls }: Replied): Prompt {
  return toolCalls.reduce(
    (tip, { id, name }) => append(tip, { role: 'tool', content: 'Not called.', toolCallId: id, name, owner: 'reask' }),
    prompt,
  );
}

/** What is wrong with calls where there is nothing to call. */
export const NO_CALLS = 'There are no tools: answer in text.';

/** The kind of the note that tells of a reply which was not used. */
export const REPLY_REFUSED = 'reply-refused';

/** A reply that was broken off would be broken off again. */
const BROKEN_OFF: Readonly<Partial<Record<FinishReason, string>>> = {
  length: 'the reply was cut at its output limit, so raise maxOutputTokens',
  content_filter: 'the model refused to answer',
  error: 'the model ended its reply with an error',
};

/** What a model reads after a reply that cannot be used. What is wrong with it comes last. */
export function reaskText({ problem, advice }: Pick<Refused, 'problem' | 'advice'>): string {
  const told = advice === undefined ? [] : [advice];
  return [
    'Your last reply was not accepted. Reply again with the complete, corrected answer.',
    ...told,
    `The problem: ${problem.slice(0, LONGEST_PROBLEM)}`,
  ].join('\n');
}

function exhausted(
  name: string,
  code: NonNullable<Refused['code']>,
  { problem, why, tries }: { readonly problem: string; readonly why: string; readonly tries: number },
): FlyballError {
  const counted = tries === 1 ? '1 reply' : `${tries} replies`;
  const told = code === 'CLAIM_UNPROVEN' ? 'no reply that the journal proves' : 'no usable reply';
  const ended = why === '' ? '' : ` (${why})`;
  return new FlyballError(
    code,
    `${name} gave ${told} after ${counted}${ended}. The last problem: ${sentence(problem)}`,
    {
      detail: { session: name, tries, problem },
    },
  );
}

function sentence(text: string): string {
  const trimmed = text.trim();
  return /[.!?…]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}
