import { BoundReachedError, ConfigError, FlyballError } from '../../core/errors.js';
import type { Content } from '../../core/parts.js';
import type { Prompt } from '../../core/prompt.js';
import { outputLimitOf } from '../../core/request.js';
import type { Run } from '../../core/run.js';
import type { Session } from '../../core/session.js';
import { pruned } from './prune.js';
import { lostIn, namesIn, RETENTION_FLOOR, spanText, summarizerFor } from './summary.js';
import { compactable, type Span } from './window-care.js';
import { type Fitted, KEEP_RECENT, TRIGGER, type Window, type WindowPolicy } from './window-policy.js';

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
  if (summarizer !== undefined) checkFits(summarizer, maxTokens * trigger);
  return {
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
function checkFits(summarizer: Session, tokens: number): void {
  const { window } = summarizer.model.capabilities;
  const room = window - Math.min(outputLimitOf(summarizer), window / 2);
  if (!Number.isFinite(tokens) || tokens <= room) return;
  throw new ConfigError(
    `compression (K6) begins at ${Math.floor(tokens)} tokens, and "${summarizer.name}" reads ${Math.floor(room)} at most. Give it a model with a larger window, or a smaller maxTokens.`,
  );
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
  const { summary, spent } = await summarized(run, window, { span, ...how });
  if (summary === undefined || summary.size >= prompt.size) {
    const why = summary === undefined ? 'no faithful summary' : 'the summary is not shorter';
    run.note({ kind: 'context-kept', loop: run.path, why });
    // not again for every little growth: each try is a model call or two
    return { notBelow: tokens + (room - tokens) / 2, spent };
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

/** In a scope that says what it is. A summary that still loses too much is not used. */
function summarized(
  run: Run,
  { room, session }: Window,
  { span, summarizer }: Compressing & { readonly span: Span },
): Promise<{ readonly summary: Prompt | undefined; readonly spent: number }> {
  const mark = { pattern: 'compression', params: { id: 'K6' }, predicted: { min: 1, max: MOST_CALLS } };
  const asked = summarizerFor(session, summarizer);
  return run.enter(mark, async (inside) => {
    const text = spanText(span.segments, room);
    const names = namesIn(span.segments);
    const first = await condensed(inside, asked, text);
    const lost = first.text === undefined ? [] : lostIn(first.text, names);
    inside.learnt({ asked: 1, names: names.length, lost: lost.length });
    if (first.text === undefined) return { summary: undefined, spent: first.spent };
    if (isFaithful(lost, names)) return { summary: span.with(first.text), spent: first.spent };
    const demand = `${text}\n\nThe summary must keep these, word for word: ${lost.join(', ')}`;
    const second = await condensed(inside, asked, demand);
    const still = second.text === undefined ? names : lostIn(second.text, names);
    inside.learnt({ asked: 2, lost: still.length });
    const isUsed = second.text !== undefined && isFaithful(still, names);
    return { summary: isUsed ? span.with(second.text ?? '') : undefined, spent: first.spent + second.spent };
  });
}

function isFaithful(lost: readonly string[], names: readonly string[]): boolean {
  return names.length === 0 || 1 - lost.length / names.length >= RETENTION_FLOOR;
}

/** A summarizer that fails leaves the window as it is; a bound or a cancellation ends the work as always. */
async function condensed(
  run: Run,
  summarizer: Session,
  text: string,
): Promise<{ readonly text: string | undefined; readonly spent: number }> {
  try {
    const { usage, finish, text: summary } = await run.ask(summarizer, text);
    const isUsable = finish === 'stop' && summary.trim() !== '';
    return { text: isUsable ? summary.trim() : undefined, spent: usage.input + usage.output };
  } catch (error) {
    if (!(error instanceof FlyballError) || error instanceof BoundReachedError || error.code === 'CANCELLED')
      throw error;
    return { text: undefined, spent: 0 };
  }
}
