import { canonicalJson, sha256 } from '../../core/canonical.js';
import { ConfigError } from '../../core/errors.js';
import type { Model } from '../../core/model.js';
import { check, type JsonSchema, jsonSchemaOf, type StandardSchema } from '../../core/schema.js';
import { isStandard } from '../../tools/input-schema.js';
import { jsonSchemaStandard } from '../../tools/json-schema-standard.js';
import { echoed, fieldsOf, filledSkeleton, readSkeleton, skeletonOf, type TemplateField } from './skeleton.js';

/** native: the provider holds the model to the schema. json: the schema is shown. text, examples: a skeleton is filled in. */
export type ShapeMode = 'native' | 'json' | 'text' | 'examples';

/** Options of `shaped`. */
export interface ShapeOptions<T> {
  /** The strongest that model and content allow, where it is absent or `auto`. */
  readonly mode?: 'auto' | ShapeMode;
  /** How often a reply that does not fit is asked for again, in modes other than `native`. */
  readonly maxRepairs?: number;
  /** Two to eight filled-in values, for mode `examples`. */
  readonly examples?: readonly T[];
  /** What a schema cannot say. */
  readonly problems?: (value: T) => readonly string[];
  /** Where the schema's library cannot make one. */
  readonly jsonSchema?: JsonSchema;
  /** The hash that stored prompts and parsers were made with: another schema is refused. */
  readonly hash?: string;
}

/** Fields with the prose around them. */
export interface Narrated<T> {
  readonly value: T;
  readonly prose: string;
}

/** The shape of a reply: skeleton, provider schema and parser come from one schema and have one hash. */
export interface ReplyShape<T> {
  readonly mode: ShapeMode;
  readonly hash: string;
  readonly schema: JsonSchema;
  /** Required fields that cannot say "unknown": a model without evidence has to make something up. */
  readonly warnings: readonly string[];
  /** What the setup says of it; empty where the provider holds the model to it. */
  readonly text: string;
  /** Checks a parsed value, or reads the text of a skeleton. */
  readonly output: StandardSchema<unknown, T>;
}

const MOST_FIELDS = 10;

export function replyShape<T>(
  model: Pick<Model, 'capabilities'>,
  given: StandardSchema<unknown, T> | JsonSchema,
  options: ShapeOptions<T> & { readonly narrative: boolean },
): ReplyShape<T> {
  const { narrative, problems = () => [], examples = [] } = options;
  const schema = jsonOf(given, options.jsonSchema);
  const fields = fieldsOf(schema);
  const mode = modeFor(model, options);
  const hash = sha256(canonicalJson(schema));
  checkShape(fields, mode, options);
  if (options.hash !== undefined && options.hash !== hash)
    throw new ConfigError(
      `shaped (S6) was made for the schema ${options.hash.slice(0, 8)}, and this one is ${hash.slice(0, 8)}. Make the prompt again.`,
    );
  const standard = (isStandard(given) ? given : jsonSchemaStandard(schema)) as StandardSchema<unknown, T>;
  const checked = checkedBy(standard, { schema, fields: fields ?? [] }, problems);
  const isForm = mode === 'text' || mode === 'examples';
  return {
    mode,
    hash,
    schema,
    warnings: (fields ?? []).flatMap(({ name, required, nullable }) =>
      required && !nullable
        ? [`${name} is required and cannot be null or "unknown": a model without evidence will invent it`]
        : [],
    ),
    text: textOf(mode, { schema, fields: fields ?? [], hash, narrative, examples }),
    output: isForm ? readAsForm(checked, fields ?? [], { hash, narrative }) : checked,
  };
}

function jsonOf(given: StandardSchema | JsonSchema, also: JsonSchema | undefined): JsonSchema {
  const schema = isStandard(given) ? (also ?? jsonSchemaOf(given)) : (given as JsonSchema);
  if (schema === undefined)
    throw new ConfigError('shaped (S6) cannot make a JSON Schema of this schema. Pass jsonSchema as well.');
  // what nobody said is refused, so that nothing comes through that nobody reads
  return schema['type'] === 'object' && schema['additionalProperties'] === undefined
    ? { ...schema, additionalProperties: false }
    : schema;
}

function modeFor<T>(
  { capabilities }: Pick<Model, 'capabilities'>,
  { mode = 'auto', narrative }: ShapeOptions<T> & { readonly narrative: boolean },
): ShapeMode {
  if (mode !== 'auto') return mode;
  if (narrative) return 'text';
  return capabilities.structuredOutput ? 'native' : 'json';
}

function checkShape<T>(
  fields: readonly TemplateField[] | undefined,
  mode: ShapeMode,
  { narrative, examples = [], maxRepairs = 1 }: ShapeOptions<T> & { readonly narrative: boolean },
): void {
  const refuse = (why: string): never => {
    throw new ConfigError(`shaped (S6) ${why}`);
  };
  if (fields !== undefined && (fields.length === 0 || fields.length > MOST_FIELDS))
    refuse(`takes 1 to ${MOST_FIELDS} fields, got ${fields.length}. Split the task (O2).`);
  const isForm = mode === 'text' || mode === 'examples';
  if (isForm && fields === undefined) refuse('can make a form of an object only. Use mode json.');
  const deep = fields?.find(({ types }) => types === undefined);
  if (isForm && deep !== undefined)
    refuse(`cannot make a form: the field ${deep.name} is not a single value. Use mode json.`);
  if (narrative && !isForm) refuse(`has no place for prose in mode ${mode}. Use text.`);
  if (mode === 'examples' && (examples.length < 2 || examples.length > 8))
    refuse(`needs 2 to 8 examples in mode examples, got ${examples.length}.`);
  if (!(Number.isInteger(maxRepairs) && maxRepairs >= 0 && maxRepairs <= 5))
    refuse(`needs maxRepairs from 0 to 5, got ${maxRepairs}.`);
}

function textOf<T>(
  mode: ShapeMode,
  about: {
    readonly schema: JsonSchema;
    readonly fields: readonly TemplateField[];
    readonly hash: string;
    readonly narrative: boolean;
    readonly examples: readonly T[];
  },
): string {
  const { schema, fields, hash, narrative, examples } = about;
  if (mode === 'native') return '';
  if (mode === 'json') return `Reply with JSON only, of this schema:\n${JSON.stringify(schema)}`;
  const unknown = fields.some(({ nullable }) => nullable) ? ' Where nothing is known, write "unknown".' : '';
  const around = narrative ? 'Prose goes before or after it.' : 'Write nothing else.';
  const shown =
    mode === 'examples' ? examples.map((one) => `For example:\n${filledSkeleton(one, fields, hash)}\n`) : [];
  const form = `Fill in this form: keep every line and its order, and put content in the place of what is in square brackets.${unknown} ${around}\n${shown.join('')}${skeletonOf(fields, hash)}`;
  return `${form}\n\nThe schema of its values: ${JSON.stringify(schema)}`;
}

/** Unknown fields and echoed placeholders are refused whatever the schema's library makes of them. */
function checkedBy<T>(
  standard: StandardSchema<unknown, T>,
  { schema, fields }: { readonly schema: JsonSchema; readonly fields: readonly TemplateField[] },
  problems: (value: T) => readonly string[],
): StandardSchema<unknown, T> {
  return {
    '~standard': {
      version: 1,
      vendor: 'flyball',
      validate: async (value) => {
        const first = [...unknownIn(value, schema).map((key) => `${key} is not a field`), ...echoed(value, fields)];
        if (first.length > 0) return { issues: first.map((message) => ({ message })) };
        const read = await standard['~standard'].validate(value);
        if (read.issues !== undefined) return read;
        const found = problems(read.value);
        return found.length === 0 ? read : { issues: found.map((message) => ({ message })) };
      },
    },
  };
}

/** Paths of what no schema names, however deep: libraries drop it without a word, or let it through. */
function unknownIn(value: unknown, schema: JsonSchema | undefined, path = ''): readonly string[] {
  if (typeof value !== 'object' || value === null || schema === undefined) return [];
  const {
    items,
    properties,
    additionalProperties = false,
  } = schema as {
    readonly items?: JsonSchema;
    readonly properties?: Readonly<Record<string, JsonSchema>>;
    readonly additionalProperties?: unknown;
  };
  const isList = Array.isArray(value);
  if (isList ? items === undefined : properties === undefined) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    if (isList) return unknownIn(member, items, `${path}${key}.`);
    if (properties !== undefined && Object.hasOwn(properties, key))
      return unknownIn(member, properties[key], `${path}${key}.`);
    return additionalProperties === false ? [`${path}${key}`] : [];
  });
}

/** A schema over the text of a reply: it reads the form, then checks what stands in it. */
function readAsForm<T>(
  schema: StandardSchema<unknown, T>,
  fields: readonly TemplateField[],
  { hash, narrative }: { readonly hash: string; readonly narrative: boolean },
): StandardSchema<unknown, T> {
  return {
    '~standard': {
      version: 1,
      vendor: 'flyball',
      validate: async (text) => {
        const read = readSkeleton(String(text), fields, { hash, narrative });
        if (!read.ok) return { issues: [{ message: read.problem }] };
        const checked = await check(schema, read.value);
        if (!checked.ok) return { issues: [{ message: checked.problem }] };
        return { value: narrative ? ({ value: checked.value, prose: read.prose } as T) : checked.value };
      },
    },
  };
}
