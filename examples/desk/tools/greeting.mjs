import { tool } from 'flyball/tools';

export default tool({
  name: 'greeting',
  description: 'The first line of a letter. Not for the letter itself.',
  input: {
    type: 'object',
    properties: { name: { type: 'string', description: 'who is addressed' } },
    required: ['name'],
    additionalProperties: false,
  },
  effect: 'pure',
  execute: async ({ name }) => `Dear ${name},`,
});
