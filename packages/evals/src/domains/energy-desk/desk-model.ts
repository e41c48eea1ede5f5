import type { Model, ModelRequest } from 'flyball';
import type { Task } from '../../world/task.js';
import { scriptedDesk } from './scripted-desk.js';

/**
 * A model without a model: it plays a right agent on the tasks of this domain, costs nothing and asks nobody. For trying
 * the harness on a machine that has no key; what it scores says nothing about any language model.
 */
export function deskModel(tasks: readonly Task[]): Model {
  const reply = scriptedDesk(tasks);
  return {
    id: 'scripted/desk',
    capabilities: {
      window: 1_000_000,
      maxOutputTokens: 4096,
      tools: true,
      structuredOutput: false,
      promptCache: false,
    },
    price: { input: 0, output: 0 },
    countTokens: sizeOf,
    generate: async (request, { signal }) => {
      signal.throwIfAborted();
      const { text, toolCalls } = reply(request);
      const finish = toolCalls.length > 0 ? 'tool_calls' : 'stop';
      const output = Math.ceil((text.length + JSON.stringify(toolCalls).length) / 4);
      return { text, toolCalls, finish, usage: { input: sizeOf(request), output } };
    },
  };
}

/** Four characters a token, rounded up: the budget needs a bound, not the truth. */
function sizeOf({ messages, tools }: ModelRequest): number {
  const said = messages.reduce((sum, { content }) => sum + content.length, 0);
  return Math.ceil((said + JSON.stringify(tools).length) / 4);
}
