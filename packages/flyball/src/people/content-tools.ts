import { ConfigError } from '../core/errors.js';
import type { JsonSchema, StandardSchema } from '../core/schema.js';
import type { ToolRef } from '../core/tool.js';
import { type AskOptions, type AskTool, askTool, MOST_PROMPT } from './ask-tool.js';
import { plainSchema } from './plain-schema.js';

/** The tools that ask for more than one value: a file, a form, the arguments of another tool. */

const PROMPT = {
  type: 'string',
  minLength: 1,
  maxLength: MOST_PROMPT,
  description: 'What the person reads: what is needed, and what for.',
} as const;
const ONCE = 'It waits until a person answers. The same question is never asked twice: its answer is given again.';
const ONLY_PROMPT: JsonSchema = {
  type: 'object',
  properties: { prompt: PROMPT },
  required: ['prompt'],
  additionalProperties: false,
};

// types and no interfaces: whoever exports such a tool has its arguments spelled out, and no name to import
type Prompted = {
  readonly prompt: string;
};

/**
 * A file is handed over as text with a name, or named by a path. A path is only a name: nothing is read here, and the
 * tool that reads it is bound by its own path rules.
 */
export type FileAnswer = { readonly path: string } | { readonly name: string; readonly content: string };

/** Answers are kept in the journal, so a file that is handed over is a small one. */
const MOST_FILE_BYTES = 1_000_000;

/** Options of `fileTool`. */
export interface FileToolOptions extends AskOptions {
  /** Of the content, as UTF-8. 100,000 where it is absent, 1,000,000 at most. */
  readonly maxBytes?: number;
  /** Endings that a name may have, such as `.csv`. Any where it is absent. */
  readonly endings?: readonly string[];
}

/** A tool that asks a person for a text file. */
export function fileTool(options: FileToolOptions = {}): AskTool<Prompted, FileAnswer> {
  const { maxBytes = 100_000, endings, ...rest } = options;
  if (!Number.isInteger(maxBytes) || maxBytes < 1 || maxBytes > MOST_FILE_BYTES)
    throw new ConfigError(`maxBytes is ${maxBytes}. It must be a whole number from 1 to ${MOST_FILE_BYTES}.`);
  const answer: JsonSchema = {
    type: 'object',
    properties: {
      path: { type: 'string', minLength: 1, maxLength: 1_000 },
      name: { type: 'string', minLength: 1, maxLength: 200 },
      content: { type: 'string' },
    },
    additionalProperties: false,
  };
  return askTool<Prompted, FileAnswer>({
    name: 'ask_file',
    description: `Asks a person for a text file. The answer holds its name and content, or the path of one that is already there. ${ONCE}`,
    ...rest,
    widget: 'file',
    input: ONLY_PROMPT,
    answer: plainSchema<Partial<Record<'path' | 'name' | 'content', string>>>(answer, (file) =>
      fileProblem(file, { maxBytes, endings }),
    ) as StandardSchema,
    prompt: (args) => args.prompt,
    details: () => ({ maxBytes, ...(endings === undefined ? {} : { endings }) }),
  });
}

function fileProblem(
  { path, name, content }: Partial<Record<'path' | 'name' | 'content', string>>,
  limits: { readonly maxBytes: number; readonly endings: readonly string[] | undefined },
): string | undefined {
  const { maxBytes, endings } = limits;
  const isHanded = name !== undefined && content !== undefined;
  if ((path === undefined) !== isHanded || (path !== undefined && (name ?? content) !== undefined))
    return 'a file is { "path": "…" } or { "name": "…", "content": "…" }';
  if (name !== undefined && /[/\\]/.test(name)) return `the name "${name}" must not contain a folder`;
  const bytes = Buffer.byteLength(content ?? '');
  if (bytes > maxBytes) return `the content has ${bytes} bytes; at most ${maxBytes} are allowed`;
  const called = name ?? path ?? '';
  if (endings !== undefined && !endings.some((ending) => called.toLowerCase().endsWith(ending.toLowerCase())))
    return `the file must end in ${endings.join(' or ')}`;
  return undefined;
}

const FIELD_TYPES = ['string', 'number', 'integer', 'boolean', 'array'];

/** Options of `formTool`. */
export interface FormToolOptions extends AskOptions {
  /** JSON Schema of an object: its properties are the fields, with their types, limits and descriptions. */
  readonly fields: JsonSchema;
}

/**
 * A tool that asks a person for several values, each with its own type. The fields are fixed; the model only gives
 * the reason.
 */
export function formTool({
  fields,
  ...options
}: FormToolOptions): AskTool<Prompted, Readonly<Record<string, unknown>>> {
  const properties = fields['properties'] as Readonly<Record<string, { readonly type?: unknown }>> | undefined;
  if (fields['type'] !== 'object' || properties === undefined || Object.keys(properties).length === 0)
    throw new ConfigError('The fields of a form must be a JSON Schema of type object with at least one property.');
  for (const [name, field] of Object.entries(properties)) {
    if (!FIELD_TYPES.some((type) => type === field.type))
      throw new ConfigError(`The field ${name} needs a type: ${FIELD_TYPES.join(', ')}.`);
  }
  const whole: JsonSchema = { additionalProperties: false, ...fields };
  return askTool<Prompted, Readonly<Record<string, unknown>>>({
    name: 'fill_form',
    description: `Asks a person to fill in a form with these fields: ${Object.keys(properties).join(', ')}. ${ONCE}`,
    ...options,
    widget: 'form',
    input: ONLY_PROMPT,
    answer: whole,
    prompt: (args) => args.prompt,
    details: () => ({ fields: whole }),
  });
}

type ProposedArguments = Prompted & {
  readonly arguments: Readonly<Record<string, unknown>>;
};

const ANY_OBJECT: JsonSchema = { type: 'object' };
const MOST_ARGUMENT_BYTES = 100_000;

/**
 * Shows the arguments that a model would call another tool with, and gives back what a person made of them. They are
 * checked against that tool's schema; calling it is a step of its own, with all its guards.
 */
export function editArgumentsTool({
  tool,
  ...options
}: AskOptions & { readonly tool: ToolRef }): AskTool<ProposedArguments, Readonly<Record<string, unknown>>> {
  const described = tool.inputJsonSchema ?? ANY_OBJECT;
  const own = tool.input ?? (plainSchema(ANY_OBJECT) as StandardSchema);
  const answer: StandardSchema = {
    '~standard': {
      ...own['~standard'],
      jsonSchema: { input: () => ({ ...described }), output: () => ({ ...described }) },
    },
  };
  const definition = {
    name: `edit_${tool.name}`.slice(0, 64),
    description: `Shows a person the arguments you would call ${tool.name} with, and gives back what they made of them. Then call ${tool.name} with exactly what comes back. ${ONCE}`,
    ...options,
    widget: 'edit-arguments',
    input: {
      type: 'object',
      properties: { prompt: PROMPT, arguments: { type: 'object', description: `Arguments of ${tool.name}.` } },
      required: ['prompt', 'arguments'],
      additionalProperties: false,
    },
    check: ({ arguments: proposed }: ProposedArguments) =>
      Buffer.byteLength(JSON.stringify(proposed)) > MOST_ARGUMENT_BYTES
        ? `the arguments are larger than ${MOST_ARGUMENT_BYTES} bytes`
        : undefined,
    answer,
    prompt: (args: ProposedArguments) => args.prompt,
    details: (args: ProposedArguments) => ({ tool: tool.name, arguments: args.arguments, schema: described }),
  } as const;
  return askTool<ProposedArguments, Readonly<Record<string, unknown>>>(definition);
}
