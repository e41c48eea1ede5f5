import type { ChatWrapper, ContextState, LlamaLibrary, Weights } from './library.js';

/**
 * The wrapper without the token for the beginning of a text where the model was trained without one. The library puts it
 * before every conversation; SmolLM2, where it is the same token as the beginning of a message, then reads a broken one.
 */
export function asWritten(library: LlamaLibrary, weights: Weights): ChatWrapper {
  const wrapper = library.resolveChatWrapper(weights);
  const { tokens } = weights;
  if (tokens.shouldPrependBosToken || tokens.bos === null) return wrapper;
  return changed(wrapper, (state) => {
    const [first, ...rest] = state.contextText.values;
    if ((first as { readonly value?: unknown } | undefined)?.value !== 'BOS') return state;
    return { ...state, contextText: library.LlamaText(rest) };
  });
}

/** The wrapper that begins each reply with a call: which one, and its arguments, is left to the model. */
export function withCall(wrapper: ChatWrapper): ChatWrapper {
  return changed(wrapper, (state) => ({ ...state, noPrefixTrigger: { type: 'functionCall' } }));
}

function changed(wrapper: ChatWrapper, change: (state: ContextState) => ContextState): ChatWrapper {
  const generateContextState: ChatWrapper['generateContextState'] = (given) =>
    change(wrapper.generateContextState(given));
  return Object.create(wrapper, { generateContextState: { value: generateContextState } }) as ChatWrapper;
}
