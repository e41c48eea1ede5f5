import type { ModelRequest } from '../../core/model.js';
import { argumentSchema } from './grammar-schema.js';
import { type HistoryItem, historyOf } from './history.js';
import type { ChatWrapper, Functions } from './library.js';
import type { Loaded } from './loaded.js';
import { withCall } from './template.js';

/** A request as the model reads it. */
export interface Prompt {
  readonly history: readonly HistoryItem[];
  readonly functions: Functions | undefined;
  readonly wrapper: ChatWrapper;
  readonly tokens: readonly number[];
}

/** Written once a request: it is counted before it is made, and both must see the same. */
export function promptWriter({ wrapper, weights }: Loaded): (request: ModelRequest) => Prompt {
  const known = new WeakMap<ModelRequest, Prompt>();
  return (request) => {
    const found = known.get(request);
    if (found !== undefined) return found;
    const functions = functionsIn(request);
    const history = historyOf(request.messages, request.output);
    const state = wrapper.generateContextState({
      chatHistory: history,
      ...(functions === undefined ? {} : { availableFunctions: functions, documentFunctionParams: true }),
    });
    const must = functions !== undefined && request.toolChoice !== 'auto';
    const prompt: Prompt = {
      history,
      functions,
      wrapper: must ? withCall(wrapper) : wrapper,
      tokens: state.contextText.tokenize(weights.tokenizer),
    };
    known.set(request, prompt);
    return prompt;
  };
}

/** A tool that must be called is the only one that is offered. */
function functionsIn({ tools, toolChoice }: ModelRequest): Functions | undefined {
  if (toolChoice === 'none') return undefined;
  const offered = typeof toolChoice === 'string' ? tools : tools.filter(({ name }) => name === toolChoice.tool);
  if (offered.length === 0) return undefined;
  return Object.fromEntries(
    offered.map(({ name, description, input }) => [name, { description, params: argumentSchema(input) }]),
  );
}
