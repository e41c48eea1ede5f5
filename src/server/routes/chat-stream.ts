import type { RunHandle } from '../../runtime/runtime.js';
import type { Principal } from '../access/principal.js';
import type { ServedAgent } from '../agents/served-agent.js';
import { openAiError } from '../contract/error-shape.js';
import type { FeedItem } from '../feed/run-feed.js';
import type { Parts } from '../parts.js';
import { problemFrom } from '../problem.js';
import { chatText, usageOf } from './chat-answer.js';
import { itemsUntilRest } from './items-until-rest.js';

export interface StreamedCompletion {
  readonly agent: ServedAgent;
  readonly handle: RunHandle;
  readonly principal: Principal;
  readonly includeUsage: boolean;
  /** What all chunks of this answer begin with. */
  readonly frame: Readonly<Record<string, unknown>>;
}

/** The answer in chunks, as OpenAI's clients read them; an error stands in place of the last one. */
export async function* chatChunks(
  parts: Parts,
  completion: StreamedCompletion,
  signal: AbortSignal,
): AsyncIterable<string> {
  const { agent, handle, principal, includeUsage, frame } = completion;
  const usage = includeUsage ? { usage: null } : {};
  const chunk = (delta: object, finish_reason: 'stop' | null = null): string =>
    data({ ...frame, ...usage, choices: [{ index: 0, delta, logprobs: null, finish_reason }] });
  const words = new ArrivingText(isLive(agent));
  try {
    yield chunk({ role: 'assistant', content: '' });
    const items = itemsUntilRest(parts, handle, signal);
    let next = await items.next();
    for (; next.done !== true; next = await items.next())
      for (const item of next.value) {
        const content = words.take(item);
        if (content !== '') yield chunk({ content });
      }
    const content = words.rest(await chatText(parts, { runId: handle.id, principal }, next.value));
    if (content !== '') yield chunk({ content });
    yield chunk({}, 'stop');
    if (includeUsage) yield data({ ...frame, choices: [], usage: await usageOf(parts, handle.id) });
    yield 'data: [DONE]\n\n';
  } catch (error) {
    yield data(openAiError(problemFrom(error)));
  }
}

function data(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/**
 * Whether what its model writes may be shown while it is written. Not where something else may become of it: a claim
 * that has to be proven first, another reply that confirms it, a call that is written as text, or words that are not to
 * the user at all, as those that choose a skill.
 */
function isLive({ defined }: ServedAgent): boolean {
  if (defined === undefined) return false;
  const { loop, proofs, skills = [] } = defined.spec;
  if (proofs !== undefined || skills.length > 0) return false;
  return loop?.doubleConfirmation !== true && (loop?.textCalls ?? 'off') === 'off';
}

/** What was shown of the answer so far, and what is missing once it is known. */
export class ArrivingText {
  private readonly isLive: boolean;
  private shown = '';
  private reply = '';
  private isBroken = false;

  constructor(isLive: boolean) {
    this.isLive = isLive;
  }

  /** The text to be shown for an item; empty for what is none. */
  take(item: FeedItem): string {
    if (!this.isLive || item.kind !== 'delta') return '';
    const reply = `${item.effect} ${item.attempt}`;
    if (reply !== this.reply) this.breakOff();
    this.reply = reply;
    if (item.delta.type === 'restart') this.breakOff();
    return item.delta.type === 'text' ? this.show(item.delta.text) : '';
  }

  /** What is still to be shown: nothing, the end of the answer, or all of it where something else was shown. */
  rest(answer: string): string {
    if (this.shown.trim() === answer.trim()) return '';
    if (answer.startsWith(this.shown)) return this.show(answer.slice(this.shown.length));
    this.breakOff();
    return this.show(answer);
  }

  private breakOff(): void {
    this.isBroken ||= this.shown !== '';
    this.shown = '';
  }

  /** What was shown cannot be taken back: what follows on it is a paragraph of its own. */
  private show(text: string): string {
    this.shown += text;
    const gap = this.isBroken && text !== '' ? '\n\n' : '';
    if (text !== '') this.isBroken = false;
    return gap + text;
  }
}
