import { BoundReachedError, FlyballError } from '../../core/errors.js';
import type { Prompt } from '../../core/prompt.js';
import { requestOf, underSetup } from '../../core/request.js';
import type { Run } from '../../core/run.js';
import type { LoopParts } from './loop-parts.js';
import type { LoopState } from './loop-state.js';
import { lostIn, namesIn, RETENTION_FLOOR, spanText } from './summary.js';
import type { Termination } from './termination.js';
import { clearConsumed, compactable, type Span } from './window-care.js';

/** No encoding makes more tokens than this out of one UTF-16 unit: three bytes, a token each. */
const MOST_TOKENS_PER_CHAR = 3;
/** What a provider may add around a message. */
const MOST_TOKENS_AROUND = 16;
/** Share of the room, in characters, that an edit must save: every edit voids the provider's cache from there on. */
const LEAST_GAIN = { clear: 0.05, compact: 0.1 };

/**
 * Makes room before the window overflows: clears consumed results, then summarises old turns. Answers why the loop has
 * to end when the prompt does not fit all the same.
 */
export async function fitWindow(
  run: Run,
  parts: LoopParts<unknown>,
  state: LoopState,
): Promise<Termination | undefined> {
  const { room } = parts;
  const { care, trigger } = parts.config.window;
  if (mostTokens(parts, state) < room * trigger) return undefined; // cannot be near
  let tokens = await count(run, state);
  if (tokens <= room * trigger) return undefined;
  if (care !== 'off' && clear(run, parts, state, tokens > room)) tokens = await count(run, state);
  if (tokens > room * trigger && care === 'compact' && (await compact(run, parts, state, tokens)))
    tokens = await count(run, state);
  if (tokens <= room) return undefined;
  const why = `the prompt takes ${tokens} tokens and ${Math.floor(room)} fit; split the task, or clear more`;
  return { reason: 'window_exceeded', why, bound: { name: 'window', limit: Math.floor(room) } };
}

function mostTokens(parts: LoopParts<unknown>, { prompt, reasoningChars }: LoopState): number {
  const chars = prompt.size + reasoningChars + parts.toolChars;
  return chars * MOST_TOKENS_PER_CHAR + prompt.length * MOST_TOKENS_AROUND;
}

/** Journaled: the same count decides on replay, whatever tokenizer is installed then. */
function count(run: Run, state: LoopState): Promise<number> {
  const session = run.framed(state.session);
  const prompt = underSetup(session, state.prompt);
  return run.step(
    'count-tokens',
    { tip: prompt.id },
    () => session.model.countTokens(requestOf(session, prompt, session.tools ?? [])),
    'pure',
  );
}

/** `must`: it does not fit as it is, so that any gain is worth it. */
function clear(run: Run, parts: LoopParts<unknown>, state: LoopState, must: boolean): boolean {
  const { prompt, originals, from } = clearConsumed(state.prompt, parts.config.window.keepRecent);
  const gain = state.prompt.size - prompt.size;
  if (gain === 0 || !(must || gain >= parts.room * LEAST_GAIN.clear)) return false;
  for (const [id, content] of originals) state.originals.set(id, content);
  note(run, { kind: 'context-cleared', results: originals.size, from, before: state.prompt.size, after: prompt.size });
  state.prompt = prompt;
  state.offerRecall();
  return true;
}

async function compact(run: Run, parts: LoopParts<unknown>, state: LoopState, tokens: number): Promise<boolean> {
  const span = compactable(state.prompt, parts.config.window.keepRecent);
  if (span === undefined) return false;
  const must = tokens > parts.room;
  if (!must && (tokens < state.compactFrom || span.fresh < parts.room * LEAST_GAIN.compact)) return false;
  const compacted = await summarised(run, parts, state, span);
  if (compacted === undefined || compacted.size >= state.prompt.size) {
    // not again for every little growth: each try is a model call or two
    state.compactFrom = tokens + (parts.room - tokens) / 2;
    note(run, {
      kind: 'context-kept',
      why: compacted === undefined ? 'no faithful summary' : 'the summary is not shorter',
    });
    return false;
  }
  note(run, {
    kind: 'context-compacted',
    messages: span.segments.length,
    before: state.prompt.size,
    after: compacted.size,
  });
  state.prompt = compacted;
  return true;
}

/** One call, and one more that names what the first summary lost. A summary that still loses it is not used. */
async function summarised(
  run: Run,
  parts: LoopParts<unknown>,
  state: LoopState,
  span: Span,
): Promise<Prompt | undefined> {
  const text = spanText(span.segments, parts.room);
  const names = namesIn(span.segments);
  const first = await condensed(run, parts, state, text);
  if (first === undefined) return undefined;
  const lost = lostIn(first, names);
  if (isFaithful(lost, names)) return span.with(first);
  const demand = `${text}\n\nThe summary must keep these, word for word: ${lost.join(', ')}`;
  const second = await condensed(run, parts, state, demand);
  return second !== undefined && isFaithful(lostIn(second, names), names) ? span.with(second) : undefined;
}

function isFaithful(lost: readonly string[], names: readonly string[]): boolean {
  return names.length === 0 || 1 - lost.length / names.length >= RETENTION_FLOOR;
}

/** A compactor that fails leaves the window as it is; a bound or a cancellation ends the loop as always. */
async function condensed(
  run: Run,
  parts: LoopParts<unknown>,
  state: LoopState,
  text: string,
): Promise<string | undefined> {
  try {
    const reply = await run.ask(parts.compactor, text);
    state.tokens += reply.usage.input + reply.usage.output;
    return reply.finish === 'stop' && reply.text.trim() !== '' ? reply.text.trim() : undefined;
  } catch (error) {
    if (!(error instanceof FlyballError) || error instanceof BoundReachedError || error.code === 'CANCELLED')
      throw error;
    return undefined;
  }
}

function note(run: Run, event: { readonly kind: string; readonly [key: string]: unknown }): void {
  run.note({ loop: run.path, ...event });
}
