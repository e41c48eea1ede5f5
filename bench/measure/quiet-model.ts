import type { Model, ModelReply, ModelRequest } from 'flyball';

/** A model that answers at once and keeps nothing: what is measured is the run, not the script. */
export function quietModel(answer: (request: ModelRequest) => Partial<ModelReply>): Model {
  return {
    id: 'bench/quiet',
    capabilities: { window: 1e9, maxOutputTokens: 300, tools: true, structuredOutput: true, promptCache: false },
    price: { input: 0, output: 0 },
    countTokens: () => 1,
    async generate(request) {
      const { text = '', toolCalls = [], ...rest } = answer(request);
      const finish = toolCalls.length > 0 ? 'tool_calls' : 'stop';
      return { text, toolCalls, finish, usage: { input: 1, output: 1 }, ...rest };
    },
  };
}
