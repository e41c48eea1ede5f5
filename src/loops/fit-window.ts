import { BoundReachedError, FlyballError } from '../core/errors.js';
import type { Prompt } from '../core/prompt.js';
import { requestOf } from '../core/request.js';
import type { Run } from '../core/run.js';
import type { LoopParts } from './loop-parts.js';
import type { LoopState } from './loop-state.js';
import { lostIn, namesIn, RETENTION_FLOOR, spanText } from './summary.js';
import type { Termination } from './termination.js';
import { clearConsumed, compactable, type Span } from './window-care.js';

/** No encoding makes more tokens than this out of one UTF-16 unit: three bytes, a token each. */
const MOST_TOKENS_PER_CHAR = 3;

/**
 * Makes room before the window overflows: clears consumed results, then summarises old turns. Answers why the loop has
 * to end when the prompt does not fit all the same.
 */
export async function fitWindow(
  run: Run,
  parts: LoopParts<unknown>,
  state: LoopState,
): Promise<Termination | undefined> {
  const room = roomIn(parts);
  const trigger = room * parts.config.window.trigger;
  if (state.prompt.size * MOST_TOKENS_PER_CHAR + parts.toolTokens < trigger) return undefined; // cannot be near
  let tokens = await count(run, state);
  if (tokens <= trigger) return undefined;
  if (parts.config.window.care !== 'off' && clear(run, parts, state)) tokens = await count(run, state);
  if (tokens > trigger && parts.config.window.care === 'compact' && (await compact(run, parts, state)))
    tokens = await count(run, state);
  if (tokens <= room) return undefined;
  const why = `the prompt takes ${tokens} tokens and ${room} fit; split the task, or clear more`;
  return { reason: 'window_exceeded', why, bound: { name: 'window', limit: room } };
}

/** The window less what the answer may take. */
function roomIn({ session }: LoopParts<unknown>): number {
  const { window, maxOutputTokens } = session.model.capabilities;
  return Math.max(1, window - Math.min(session.sampling?.maxOutputTokens ?? maxOutputTokens, window / 2));
}

/** Journaled: the same count decides on replay, whatever tokenizer is installed then. */
function count(run: Run, state: LoopState): Promise<number> {
  const { prompt, session } = state;
  return run.step(
    'count-tokens',
    { tip: prompt.id },
    () => session.model.countTokens(requestOf(session, prompt, session.tools ?? [])),
    'pure',
  );
}

function clear(run: Run, parts: LoopParts<unknown>, state: LoopState): boolean {
  const { prompt, originals } = clearConsumed(state.prompt, parts.config.window.keepRecent);
  if (prompt === state.prompt) return false;
  for (const [id, content] of originals) state.originals.set(id, content);
  note(run, { kind: 'context-cleared', results: originals.size, before: state.prompt.size, after: prompt.size });
  state.prompt = prompt;
  state.offerRecall();
  return true;
}

async function compact(run: Run, parts: LoopParts<unknown>, state: LoopState): Promise<boolean> {
  const span = compactable(state.prompt, parts.config.window.keepRecent);
  if (span === undefined) return false;
  const compacted = await summarised(run, parts, span);
  if (compacted === undefined || compacted.size >= state.prompt.size) {
    note(run, {
      kind: 'context-kept',
      why: compacted === undefined ? 'no faithful summary' : 'the summary is no shorter',
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
async function summarised(run: Run, parts: LoopParts<unknown>, span: Span): Promise<Prompt | undefined> {
  const text = spanText(span.segments, roomIn(parts));
  const names = namesIn(span.segments);
  const first = await condensed(run, parts, text);
  if (first === undefined) return undefined;
  const lost = lostIn(first, names);
  if (isFaithful(lost, names)) return span.with(first);
  const second = await condensed(
    run,
    parts,
    `${text}\n\nThe summary must keep these, word for word: ${lost.join(', ')}`,
  );
  return second !== undefined && isFaithful(lostIn(second, names), names) ? span.with(second) : undefined;
}

function isFaithful(lost: readonly string[], names: readonly string[]): boolean {
  return names.length === 0 || 1 - lost.length / names.length >= RETENTION_FLOOR;
}

/** A compactor that fails leaves the window as it is; a bound or a cancellation ends the loop as always. */
async function condensed(run: Run, parts: LoopParts<unknown>, text: string): Promise<string | undefined> {
  try {
    const reply = await run.ask(parts.compactor, text);
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
