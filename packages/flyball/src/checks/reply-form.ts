import { ConfigError } from '../core/errors.js';
import type { Prompt } from '../core/prompt.js';
import type { Run } from '../core/run.js';
import type { JsonSchema, StandardSchema } from '../core/schema.js';
import type { Session } from '../core/session.js';
import { jsonSchemaStandard } from '../tools/json-schema-standard.js';

/**
 * What a checker has to reply: one schema that the request carries, the prompt shows and the reply is checked against.
 */
export interface ReplyForm<T> {
  readonly schema: JsonSchema;
  readonly output: StandardSchema<unknown, T>;
}

/** `problems`: what a schema cannot say, such as that every claim is judged once. */
export function replyForm<T>(schema: JsonSchema, problems: (value: T) => readonly string[] = () => []): ReplyForm<T> {
  const shape = jsonSchemaStandard(schema);
  return {
    schema,
    output: {
      '~standard': {
        version: 1,
        vendor: 'flyball',
        validate: async (given) => {
          const read = await shape['~standard'].validate(given);
          if (read.issues !== undefined) return read;
          const value = read.value as T;
          const found = problems(value);
          return found.length === 0 ? { value } : { issues: found.map((message) => ({ message })) };
        },
      },
    },
  };
}

/** Objects with all members required and no others: what providers with constrained decoding want. */
export function exactly(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

export const TEXT = { type: 'string', minLength: 1, maxLength: 2000 } as const;
export const UNIT = { type: 'number', minimum: 0, maximum: 1 } as const;

/** A checker looks and says what it sees. Given tools it could act, and with a schema of its own it would answer something else. */
export function checkChecker(session: Session, role: string): void {
  if ((session.tools?.length ?? 0) > 0)
    throw new ConfigError(`The session "${session.name}" is a ${role} and may have no tools. Remove them.`);
  if (session.output !== undefined)
    throw new ConfigError(
      `The session "${session.name}" is a ${role}, whose output schema is made here. Remove its own.`,
    );
}

/** A session whose setup ends with what it is to do and how it replies. */
export function withForm<T>(
  session: Session,
  { instructions, form }: { readonly instructions: string; readonly form: ReplyForm<T> },
): Session<T> {
  return {
    ...session,
    setup: `${session.setup}\n\n${instructions}\n\nReply with JSON only, of this schema:\n${JSON.stringify(form.schema)}`,
    output: form.output,
    outputJsonSchema: form.schema,
  } as Session<T>;
}

/** Asks a session of its own by a form. */
export async function askForm<T>(
  run: Run,
  given: {
    readonly session: Session;
    readonly instructions: string;
    readonly form: ReplyForm<T>;
    readonly input: Prompt;
  },
): Promise<{ readonly value: T; readonly model: string }> {
  return run.ask(withForm(given.session, given), given.input);
}
