import { entrySchema, runCardSchema, STATUSES } from '../contract/resources.js';
import { type Schema, s } from '../contract/schema.js';

/** What the routes about runs take and answer. */

export const runParams = s.object({ runId: s.string({ minLength: 1, maxLength: 200 }) });

export const POSITION = {
  pattern: '^\\d{1,9}\\.\\d{1,9}$',
  description: 'An entry of the journal: `<generation>.<seq>`.',
  examples: ['0.12'],
} as const;

/** A card with more on it. */
function detailed(title: string, more: Readonly<Record<string, Schema<unknown>>>): Schema<unknown> {
  const { properties, required } = runCardSchema.json as {
    readonly properties: Readonly<Record<string, unknown>>;
    readonly required: readonly string[];
  };
  const added = s.object(more).json as { readonly properties: object; readonly required?: readonly string[] };
  return s.named(title, {
    json: {
      type: 'object',
      properties: { ...properties, ...added.properties },
      required: [...required, ...(added.required ?? [])],
      additionalProperties: false,
    },
  });
}

export const runDetailSchema = detailed('RunDetail', {
  summary: s.any({ type: 'object', description: 'A summary of the journal.' }),
  input: s.any({ description: 'The input of the run.' }),
  outcome: s.optional(s.any({ type: 'object', description: 'How it ended, with its value.' })),
  hold: s.optional(s.any({ type: 'object', description: 'Who put it under a legal hold, when and why.' })),
});

export const runListSchema = s.object({
  runs: s.list(runCardSchema, { description: 'Newest first.' }),
  cursor: s.optional(s.string({ description: 'For the next page; absent on the last one.' })),
});

export const runListQuery = s.object({
  agent: s.optional(s.string({ maxLength: 200 })),
  status: s.optional(s.enumOf(STATUSES)),
  subject: s.optional(s.string({ maxLength: 200 })),
  limit: s.optional(s.integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: s.optional(s.string({ maxLength: 500 })),
});

export const entryPageSchema = s.object({
  entries: s.list(entrySchema),
  last: s.optional(s.string({ description: 'The end of this page; pass it as `after` to get the next one.' })),
  more: s.boolean({ description: 'Whether there were more entries when this was read.' }),
});

export const entryQuery = s.object({
  after: s.optional(s.string(POSITION)),
  limit: s.optional(s.integer({ minimum: 1, maximum: 1000, default: 500 })),
});

const mediaShownSchema = s.object({
  type: s.enumOf(['image', 'audio', 'file']),
  mediaType: s.string(),
  hash: s.string(),
  bytes: s.integer(),
  name: s.optional(s.string()),
});

export const promptSchema = s.object({
  tip: s.string(),
  segments: s.list(
    s.object({
      id: s.string(),
      role: s.enumOf(['system', 'user', 'assistant', 'tool']),
      band: s.enumOf(['setup', 'stable', 'log', 'tail']),
      trust: s.enumOf(['system', 'user', 'model', 'outside']),
      owner: s.string(),
      content: s.string({ description: 'Its text. Images, audio and files are named in it.' }),
      media: s.optional(
        s.list(mediaShownSchema, { description: 'Its images, audio and files. `getPromptMedia` returns the data.' }),
      ),
      cached: s.boolean({ description: 'Whether the previous call to the same model started with it too.' }),
      name: s.optional(s.string({ description: 'The tool that a result comes from.' })),
      toolCallId: s.optional(s.string()),
      toolCalls: s.optional(s.list(s.object({ id: s.string(), name: s.string(), arguments: s.string() }))),
    }),
  ),
});

/** What streams of a run tell of it while it goes on. */
export const ITEM_EVENTS = {
  entry: entrySchema,
  card: runCardSchema,
  delta: s.object({
    effect: s.string({ description: 'The model call it belongs to.' }),
    attempt: s.integer(),
    delta: s.any({ type: 'object', description: 'A part of a text or of a tool call, as it arrived.' }),
  }),
} as const;

/** Names and texts from outside, bounded like everything else. */
export const shortText = (description: string) => s.string({ minLength: 1, maxLength: 2_000, description });
