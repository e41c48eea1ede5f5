import type { Risk } from '../core/approval.js';
import { ConfigError, FlyballError } from '../core/errors.js';
import { type Question, WIDGETS, type Widget } from '../core/question.js';
import { type JsonSchema, jsonSchemaOf, type StandardSchema } from '../core/schema.js';
import type { Tool } from '../core/tool.js';
import { isStandard } from '../tools/input-schema.js';
import { plainSchema } from './plain-schema.js';

/** More than this nobody reads before answering. */
export const MOST_PROMPT = 2_000;

/** What every tool that asks a person may be told. */
export interface AskOptions {
  /** What a model calls it by. */
  readonly name?: string;
  /** Written for the model: when to ask and when not to. */
  readonly description?: string;
  readonly risk?: Risk;
  /** How long the question stands. Without it, for ever. */
  readonly timeoutMs?: number;
  /** Scopes, any one of which lets a person answer. Absent: anybody may. */
  readonly scopes?: readonly string[];
}

/** What `askTool` needs to define a tool that asks a person. */
export interface AskToolDefinition<A, T> extends AskOptions {
  readonly name: string;
  readonly description: string;
  readonly widget: Widget;
  /** What a model hands over, as JSON Schema of an object in the words of `plainSchema`. */
  readonly input: JsonSchema;
  /** What JSON Schema cannot say about the arguments: a sentence where something is wrong. */
  readonly check?: (args: A) => string | undefined;
  /** What the answer must be; it may depend on the arguments. JSON Schema, or a Standard Schema that can describe itself. */
  readonly answer: AnswerSchema | ((args: A) => AnswerSchema);
  readonly prompt: (args: A) => string;
  /** For the interface: choices, limits, what is to be edited. Plain data. */
  readonly details?: (args: A) => Readonly<Record<string, unknown>>;
  /** Whether an answer is a no. Where it is absent, `false` to a `confirm` is one. */
  readonly declines?: (answer: T) => boolean;
  /** What the model is told about the answer; the answer as JSON where it is absent. */
  readonly present?: (answer: T) => string;
}

/** The schema of an answer. */
export type AnswerSchema = StandardSchema | JsonSchema;

/** A tool that waits for a person: the run is suspended without a process, and what the person answers is its result. */
export interface AskTool<A, T> extends Tool<A, T> {
  readonly input: StandardSchema;
  readonly inputJsonSchema: JsonSchema;
  asks(args: A): Question;
}

/** Defines a tool that asks a person. Throws if the definition is invalid. */
export function askTool<A, T>(definition: AskToolDefinition<A, T>): AskTool<A, T> {
  const { name, description, widget, input, prompt, details, declines, present } = definition;
  requireSound(definition);
  const answerFor = answersOf(definition);
  const { risk, timeoutMs, scopes } = definition;
  return Object.freeze<AskTool<A, T>>({
    name,
    description,
    effect: 'pure',
    input: plainSchema<A>(input, definition.check) as StandardSchema,
    inputJsonSchema: input,
    asks: (args) => ({
      widget,
      prompt: prompt(args).slice(0, MOST_PROMPT),
      ...answerFor(args),
      ...(details === undefined ? {} : { details: details(args) }),
      ...(declines === undefined ? {} : { declines: (answer: unknown) => declines(answer as T) }),
      ...(risk === undefined ? {} : { risk }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(scopes === undefined ? {} : { scopes }),
    }),
    ...(present === undefined ? {} : { present }),
    execute: async () => {
      throw new FlyballError(
        'EFFECT_FAILED',
        `${name} asks a person. Call it with run.call, which waits for the answer.`,
      );
    },
  });
}

type ReadyAnswer = Pick<Question, 'answer' | 'answerJsonSchema'>;

/** One that does not depend on the arguments is made ready once, and found faulty at once. */
function answersOf<A, T>({ answer, name }: AskToolDefinition<A, T>): (args: A) => ReadyAnswer {
  // the schemas of some libraries are functions too
  if (typeof answer === 'function' && !isStandard(answer)) return (args) => ready(answer(args), name);
  const standing = ready(answer as AnswerSchema, name);
  return () => standing;
}

function ready(answer: AnswerSchema, name: string): ReadyAnswer {
  if (!isStandard(answer)) return { answer: plainSchema(answer) as StandardSchema, answerJsonSchema: answer };
  const described = jsonSchemaOf(answer);
  if (described === undefined)
    throw new ConfigError(
      `Tool "${name}": ${answer['~standard'].vendor} cannot describe its answer as JSON Schema, which user interfaces need. Pass the answer as JSON Schema.`,
    );
  return { answer, answerJsonSchema: described };
}

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

function requireSound(definition: AskToolDefinition<never, never>): void {
  const { name, description, widget, timeoutMs } = definition;
  const fail = (why: string): never => {
    throw new ConfigError(`Tool "${name}": ${why}`);
  };
  if (!NAME.test(name)) fail('a name must have 1 to 64 letters, digits, "_" and "-", which every provider accepts.');
  if (description.trim() === '') fail('the description is empty. Say when to ask and when not to.');
  if (!WIDGETS.includes(widget)) fail(`there is no widget "${widget}". Available widgets: ${WIDGETS.join(', ')}.`);
  if (timeoutMs !== undefined && !(Number.isFinite(timeoutMs) && timeoutMs > 0))
    fail(`timeoutMs is ${timeoutMs}, but must be a finite number above 0. Omit it to wait without a limit.`);
}
