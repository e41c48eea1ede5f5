import { BoundReachedError, ConfigError, FlyballError } from '../../core/errors.js';
import type { Content } from '../../core/parts.js';
import type { Prompt } from '../../core/prompt.js';
import { closed, requestOf, underSetup } from '../../core/request.js';
import type { Run } from '../../core/run.js';
import type { Session } from '../../core/session.js';
import { pruned } from './prune.js';
import { lostIn, namesIn, RETENTION_FLOOR, spanText, summarizerFor } from './summary.js';
import { compactable, type Span } from './window-care.js';
import { type Fitted, KEEP_RECENT, roomOf, TRIGGER, type Window, type WindowPolicy } from './window-policy.js';

/** Options of a policy that compresses. */
export interface CompressOptions {
  /** Who summarizes: the model of whoever works, in a role of its own, by default. */
  readonly summarizer?: Session;
  /** Tokens that the conversation may take; what the window allows by default. */
  readonly maxTokens?: number;
  /** Share of them at which it is done. 0.7 by default. */
  readonly trigger?: number;
  /** Turns at the end that are never touched. 6 by default. */
  readonly keepRecent?: number;
}

/** Share of the room, in characters, that was never summarized and makes a summary worth its call. */
const LEAST_FRESH = 0.1;
/** One call, and one more that names what the first summary lost. */
export const MOST_CALLS = 2;
const NONE: ReadonlyMap<string, Content> = new Map();

/** Replaces settled old turns by a summary, where pruning them was not enough. */
export function compresses(options: CompressOptions): WindowPolicy {
  const { maxTokens = Number.POSITIVE_INFINITY, trigger = TRIGGER, keepRecent = KEEP_RECENT, summarizer } = options;
  const refuses = (room: number) =>
    summarizer === undefined ? undefined : whyUnread(summarizer, Math.min(room, maxTokens) * trigger);
  const known = refuses(Number.POSITIVE_INFINITY);
  if (known !== undefined) throw new ConfigError(known);
  return {
    refuses,
    name: 'compression',
    atBegin: false,
    from: (room) => Math.min(room, maxTokens) * trigger,
    fit: async (run, given) => {
      const room = Math.min(given.room, maxTokens);
      if (given.tokens <= room * trigger) return undefined;
      const lossless = await pruned(run, { ...given, room }, { keepRecent });
      const window = { ...given, ...lossless, room };
      if (window.tokens <= room * trigger) return lossless === undefined ? undefined : { shorter: lossless };
      const lossy = await compressed(run, window, { keepRecent, ...(summarizer === undefined ? {} : { summarizer }) });
      const shorter = lossy.shorter ?? lossless;
      const originals = lossless?.originals ?? NONE;
      return { ...lossy, ...(shorter === undefined ? {} : { shorter: { ...shorter, originals } }) };
    },
  };
}

/** What it has to read when it is asked first must fit into its own window, beside what it answers. */
function whyUnread(summarizer: Session, tokens: number): string | undefined {
  const room = roomOf(summarizer);
  if (!Number.isFinite(tokens) || tokens <= room) return undefined;
  return `compression (K6) begins at ${Math.floor(tokens)} tokens, and "${summarizer.name}" reads ${Math.floor(room)} at most. Give it a model with a larger window, or a smaller maxTokens.`;
}

interface Compressing {
  readonly keepRecent: number;
  readonly summarizer?: Session;
}

async function compressed(run: Run, window: Window, how: Compressing): Promise<Fitted> {
  const { prompt, tokens, room } = window;
  const span = compactable(prompt, how.keepRecent);
  if (span === undefined) return {};
  if (tokens <= room && (tokens < window.notBelow || span.fresh < room * LEAST_FRESH)) return {};
  const given = {
    span,
    asked: summarizerFor(window.session, how.summarizer),
    text: spanText(span.segments, room),
  };
  const unread = await whyTooLong(run, given);
  const {
    summary,
    spent,
    why: failed = 'no faithful summary',
  } = unread === undefined ? await summarized(run, given) : { summary: undefined, spent: 0, why: unread };
  if (summary === undefined || summary.size >= prompt.size) {
    const why = summary === undefined ? failed : 'the summary is not shorter';
    run.note({ kind: 'context-kept', loop: run.path, why });
    // not again for every little growth: each try is a model call or two
    return { notBelow: tokens + (room - tokens) / 2, why, spent };
  }
  run.note({
    kind: 'context-compacted',
    loop: run.path,
    messages: span.segments.length,
    replaces: span.ids,
    before: prompt.size,
    after: summary.size,
  });
  return { shorter: { prompt: summary, originals: NONE, tokens: await window.count(summary) }, spent };
}

/** What is summarized, as whom is asked reads it. */
interface Summarizing {
  readonly span: Span;
  readonly asked: Session;
  readonly text: string;
}

/** A framing may have given the summarizer another model than it was checked with. Journaled, like every count that decides. */
async function whyTooLong(run: Run, { asked, text }: Summarizing): Promise<string | undefined> {
  const session = run.framed(asked);
  const prompt = closed(session, underSetup(session, text));
  const { tokens, room } = await run.step(
    'measure-summary',
    { tip: prompt.id },
    async () => ({ tokens: await session.model.countTokens(requestOf(session, prompt, [])), room: roomOf(session) }),
    'pure',
  );
  return tokens <= room
    ? undefined
    : `"${asked.name}" would have to read ${tokens} tokens, and ${Math.floor(room)} fit`;
}

/** In a scope that says what it is. A summary that still loses too much is not used. */
function summarized(
  run: Run,
  { span, asked, text }: Summarizing,
): Promise<{ readonly summary: Prompt | undefined; readonly spent: number; readonly why?: string }> {
  const mark = { pattern: 'compression', params: { id: 'K6' }, predicted: { min: 1, max: MOST_CALLS } };
  return run.enter(mark, async (inside) => {
    const names = namesIn(span.segments);
    const first = await condensed(inside, asked, text);
    const lost = first.text === undefined ? [] : lostIn(first.text, names);
    inside.learned({ asked: 1, names: names.length, lost: lost.length });
    if (first.text === undefined) return { summary: undefined, ...first };
    if (isFaithful(lost, names)) return { summary: span.with(first.text), spent: first.spent };
    const demand = `${text}\n\nThe summary must keep these, word for word: ${lost.join(', ')}`;
    const second = await condensed(inside, asked, demand);
    const still = second.text === undefined ? names : lostIn(second.text, names);
    inside.learned({ asked: 2, lost: still.length });
    const isUsed = second.text !== undefined && isFaithful(still, names);
    const spent = first.spent + second.spent;
    return { ...second, summary: isUsed ? span.with(second.text ?? '') : undefined, spent };
  });
}

function isFaithful(lost: readonly string[], names: readonly string[]): boolean {
  return names.length === 0 || 1 - lost.length / names.length >= RETENTION_FLOOR;
}

interface Condensed {
  readonly text: string | undefined;
  readonly spent: number;
  /** Why there is no text. */
  readonly why?: string;
}

/** A summarizer that fails leaves the window as it is; a bound or a cancellation ends the work as always. */
async function condensed(run: Run, summarizer: Session, text: string): Promise<Condensed> {
  try {
    const { usage, finish, text: summary } = await run.ask(summarizer, text);
    const isUsable = finish === 'stop' && summary.trim() !== '';
    const spent = usage.input + usage.output;
    if (!isUsable) return { text: undefined, spent, why: `"${summarizer.name}" did not finish a summary` };
    return { text: summary.trim(), spent };
  } catch (error) {
    if (!(error instanceof FlyballError) || error instanceof BoundReachedError || error.code === 'CANCELLED')
      throw error;
    return { text: undefined, spent: 0, why: `"${summarizer.name}" failed: ${error.message}` };
  }
}
