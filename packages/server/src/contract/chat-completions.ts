import { s, type TypeOf } from './schema.js';

/** Requests and answers under the names of OpenAI's API. What cannot be honored is refused, and never ignored. */

const LONGEST = 100_000;
const DATA_URL = {
  pattern: '^data:[\\w.+-]+/[\\w.+-]+;base64,',
  description: 'A `data:` URL. Other URLs are not fetched.',
};
const partSchema = s.oneOf([
  s.object({ type: s.enumOf(['text']), text: s.string({ maxLength: LONGEST }) }),
  s.object({
    type: s.enumOf(['image_url']),
    image_url: s.object({ url: s.string(DATA_URL), detail: s.optional(s.enumOf(['auto', 'low', 'high'])) }),
  }),
  s.object({
    type: s.enumOf(['input_audio']),
    input_audio: s.object({ data: s.string(), format: s.enumOf(['wav', 'mp3']) }),
  }),
  s.object({
    type: s.enumOf(['file']),
    file: s.object({ file_data: s.string(DATA_URL), filename: s.optional(s.string({ maxLength: 200 })) }),
  }),
]);
export type ChatPart = TypeOf<typeof partSchema>;
const nothing = s.optional(s.enumOf([null]));

const messageSchema = s.named(
  'ChatMessage',
  s.object({
    role: s.enumOf(['system', 'developer', 'user', 'assistant'], {
      description:
        'The agent reads `system` and `developer` messages as text from the caller. They do not replace its instructions.',
    }),
    content: s.oneOf([s.string({ maxLength: LONGEST }), s.list(partSchema, { minItems: 1, maxItems: 100 })]),
    name: s.optional(s.string({ maxLength: 200, description: 'Not shown to the agent.' })),
    // an answer is sent back as it was received, with the fields that were empty in it
    refusal: nothing,
    audio: nothing,
    function_call: nothing,
    tool_calls: nothing,
    annotations: s.optional(s.any({ type: ['array', 'null'], items: {}, maxItems: 0 })),
  }),
);
export type ChatMessage = TypeOf<typeof messageSchema>;

const only = <const V extends readonly (string | number | boolean | null)[]>(values: V) =>
  s.optional(s.enumOf(values, { description: 'Only the neutral value is accepted; the agent decides this.' }));

/** Off, or left open. Generators of clients know no enum of booleans. */
const OFF = { type: ['boolean', 'null'], not: { const: true } } as const;
const off = s.optional(s.any({ ...OFF, description: 'Must be off; the agent decides this.' }));

export const chatRequestSchema = s.named(
  'ChatCompletionRequest',
  s.object({
    model: s.string({ maxLength: 200, description: 'Name of an agent of this server.' }),
    messages: s.list(messageSchema, {
      minItems: 1,
      maxItems: 1000,
      description: 'The last message must be from the user.',
    }),
    stream: s.optional(s.any({ type: ['boolean', 'null'] })),
    stream_options: s.optional(
      s.any({
        type: ['object', 'null'],
        properties: { include_usage: { type: 'boolean' }, include_obfuscation: OFF },
        additionalProperties: false,
      }),
    ),
    temperature: s.optional(s.any({ type: ['number', 'null'], minimum: 0, maximum: 2 })),
    max_tokens: s.optional(s.any({ type: ['integer', 'null'], minimum: 1 })),
    max_completion_tokens: s.optional(
      s.any({
        type: ['integer', 'null'],
        minimum: 1,
        description:
          'Limit of output tokens for the whole run, including the tool loop. A run that needs more ends with an error.',
      }),
    ),
    user: s.optional(s.string({ maxLength: 200, description: 'Accepted and ignored; the key identifies the caller.' })),
    n: only([1, null]),
    top_p: only([1, null]),
    presence_penalty: only([0, null]),
    frequency_penalty: only([0, null]),
    logprobs: off,
    store: off,
    stop: only([null]),
    response_format: s.optional(s.object({ type: s.enumOf(['text']) })),
  }),
);
export type ChatRequest = TypeOf<typeof chatRequestSchema>;

export const usageSchema = s.object({
  prompt_tokens: s.integer(),
  completion_tokens: s.integer(),
  total_tokens: s.integer({ description: 'Total of all model calls of the run.' }),
});

export const chatCompletionSchema = s.named(
  'ChatCompletion',
  s.object({
    id: s.string({ description: '`chatcmpl-` followed by the id of the run.' }),
    object: s.enumOf(['chat.completion']),
    created: s.integer({ description: 'Seconds since 1970.' }),
    model: s.string(),
    choices: s.list(
      s.object({
        index: s.integer(),
        message: s.object({ role: s.enumOf(['assistant']), content: s.string(), refusal: s.enumOf([null]) }),
        logprobs: s.enumOf([null]),
        finish_reason: s.enumOf(['stop']),
      }),
    ),
    usage: usageSchema,
  }),
);

export const chatChunkSchema = s.named(
  'ChatCompletionChunk',
  s.any({
    description: 'An OpenAI `chat.completion.chunk`, an error instead of the last chunk, or the text `[DONE]`.',
  }),
);

export const modelSchema = s.named(
  'ModelCard',
  s.object({
    id: s.string({ description: 'Name of an agent.' }),
    object: s.enumOf(['model']),
    created: s.integer({ description: 'Always 0.' }),
    owned_by: s.string(),
  }),
);
