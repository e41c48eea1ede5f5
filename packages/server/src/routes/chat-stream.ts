import type { Entry, RunHandle } from 'flyball';
import type { Principal } from '../access/principal.js';
import type { ServedAgent } from '../agents/served-agent.js';
import { openAiError } from '../contract/error-shape.js';
import type { FeedItem } from '../feed/run-feed.js';
import type { Parts } from '../parts.js';
import { problemFrom } from '../problem.js';
import { chatText, usageOf } from './chat-answer.js';
import { itemsUntilRest } from './items-until-rest.js';
import { LiveReplies } from './live-replies.js';

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
  const words = new ArrivingText(new LiveReplies(agent));
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

/** What was shown of the answer so far, and what is missing once it is known. */
export class ArrivingText {
  private readonly replies: Pick<LiveReplies, 'isTo'>;
  private shown = '';
  private reply = '';
  private isBroken = false;

  constructor(replies: Pick<LiveReplies, 'isTo'>) {
    this.replies = replies;
  }

  /** The text to be shown for an item; empty for what is none. */
  take(item: FeedItem): string {
    if (!this.replies.isTo(item)) return '';
    if (item.kind === 'entry') return this.whole(item.entry);
    if (item.kind !== 'delta') return '';
    this.begin(`${item.effect} ${item.attempt}`);
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

  /** The end of a reply, which a reader need not have got while it was written: a fast model is done before. */
  private whole({ event }: Entry): string {
    if (event.type !== 'ask-end' || event.reply === undefined) return '';
    if (!this.reply.startsWith(`${event.id} `)) this.begin(`${event.id} `);
    const { text } = event.reply;
    return text.startsWith(this.shown) ? this.show(text.slice(this.shown.length)) : '';
  }

  private begin(reply: string): void {
    if (reply !== this.reply) this.breakOff();
    this.reply = reply;
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
