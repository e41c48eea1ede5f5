import type { Prompt } from '../../core/prompt.js';
import { closed, requestOf, underSetup } from '../../core/request.js';
import type { Run } from '../../core/run.js';
import type { LoopParts } from './loop-parts.js';
import type { LoopState } from './loop-state.js';
import type { Termination } from './termination.js';

/** No encoding makes more tokens than this out of one UTF-16 unit: three bytes, a token each. */
const MOST_TOKENS_PER_CHAR = 3;
/** What a provider may add around a message. */
const MOST_TOKENS_AROUND = 16;

/**
 * Lets the policies make room before the window overflows, one after the other. Answers why the loop has to end when the
 * prompt does not fit all the same.
 */
export async function fitWindow(
  run: Run,
  { room, window, toolChars }: LoopParts<unknown>,
  state: LoopState,
): Promise<Termination | undefined> {
  const begins = state.iterations === 1;
  const isDue = begins && state.prompt.length > 2 && window.some(({ atBegin }) => atBegin);
  const from = Math.min(room, ...window.map((policy) => policy.from(room)));
  if (!isDue && mostTokens(toolChars, state) < from) return undefined; // cannot be near
  const count = (prompt: Prompt): Promise<number> => countTokens(run, state, prompt);
  let tokens = await count(state.prompt);
  const kept: string[] = [];
  for (const policy of window) {
    const { prompt, session, notBelow } = state;
    const seen = { prompt, tokens, room, begins, session, notBelow: notBelow.get(policy) ?? 0, count };
    const fitted = await policy.fit(run, seen);
    if (fitted === undefined) continue;
    state.fit(policy, fitted);
    tokens = fitted.shorter?.tokens ?? tokens;
    if (fitted.why !== undefined) kept.push(`; ${policy.name}: ${fitted.why}`);
  }
  if (tokens <= room) return undefined;
  const why = `the prompt takes ${tokens} tokens and ${Math.floor(room)} fit${kept.join('')}; split the task, or clear more`;
  return { reason: 'window_exceeded', why, bound: { name: 'window', limit: Math.floor(room) } };
}

function mostTokens(toolChars: number, { prompt, reasoningChars }: LoopState): number {
  const chars = prompt.size + reasoningChars + toolChars;
  return chars * MOST_TOKENS_PER_CHAR + prompt.length * MOST_TOKENS_AROUND;
}

/** Journaled: the same count decides on replay, whatever tokenizer is installed then. */
function countTokens(run: Run, state: LoopState, conversation: Prompt): Promise<number> {
  const session = run.framed(state.session);
  const prompt = closed(session, underSetup(session, conversation));
  return run.step(
    'count-tokens',
    { tip: prompt.id },
    () => session.model.countTokens(requestOf(session, prompt, session.tools ?? [])),
    'pure',
  );
}
