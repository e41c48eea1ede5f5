import type { Content } from '../../core/parts.js';
import type { StandardSchema } from '../../core/schema.js';
import type { Tool } from '../../core/tool.js';

export const RECALL_RESULT = 'recall_result';

/** Gives back a result that was cleared from the prompt. Offered only once something was. */
export function recallResultTool(originals: ReadonlyMap<string, Content>): Tool<{ readonly id: string }, Content> {
  return {
    name: RECALL_RESULT,
    description: 'Gives back a tool result that was cleared from this conversation. Not for anything else.',
    effect: 'pure',
    input: idInput,
    inputJsonSchema: {
      type: 'object',
      properties: { id: { type: 'string', description: 'the id that the stub names, such as r_1a2b3c4d5e' } },
      required: ['id'],
      additionalProperties: false,
    },
    execute: async ({ id }) => {
      const original = originals.get(id);
      if (original !== undefined) return original;
      throw new Error(`No result was cleared under "${id}". Use an id that a stub in this conversation names.`);
    },
  };
}

const idInput: StandardSchema<unknown, { readonly id: string }> = {
  '~standard': {
    version: 1,
    vendor: 'flyball',
    validate: (value) => {
      const id = (value as { readonly id?: unknown } | null)?.id;
      return typeof id === 'string' ? { value: { id } } : { issues: [{ message: 'id must be a string' }] };
    },
  },
};
