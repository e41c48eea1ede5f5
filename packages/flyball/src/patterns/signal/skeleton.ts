import { ConfigError } from '../../core/errors.js';
import type { JsonSchema } from '../../core/schema.js';

export interface TemplateField {
  readonly name: string;
  readonly required: boolean;
  /** It may be null, or the word "unknown". */
  readonly nullable: boolean;
  /** Of a single value; undefined for lists and objects. */
  readonly types: readonly string[] | undefined;
  readonly description?: string;
}

const SINGLE = ['string', 'number', 'integer', 'boolean', 'null'];

/** The members of an object schema, each said to be required or not. Undefined for a schema of something else. */
export function fieldsOf(schema: JsonSchema): readonly TemplateField[] | undefined {
  const { type, properties, required, additionalProperties } = schema as {
    readonly type?: unknown;
    readonly properties?: Readonly<Record<string, JsonSchema>>;
    readonly required?: readonly string[];
    readonly additionalProperties?: unknown;
  };
  if (type !== 'object') return undefined;
  if (properties === undefined || !Array.isArray(required) || additionalProperties !== false)
    throw new ConfigError(
      'shaped (S6) needs an object schema with properties, a list of what is required, and additionalProperties: false.',
    );
  return Object.entries(properties).map(([name, member]) => fieldOf(name, member, required.includes(name)));
}

function fieldOf(name: string, member: JsonSchema, required: boolean): TemplateField {
  const {
    type,
    enum: values,
    description,
  } = member as {
    readonly type?: string | readonly string[];
    readonly enum?: readonly unknown[];
    readonly description?: string;
  };
  const types = typeof type === 'string' ? [type] : (type ?? (values === undefined ? [] : ['string']));
  const isSingle = types.length > 0 && types.every((one) => SINGLE.includes(one));
  return {
    name,
    required,
    nullable: types.includes('null') || values?.includes('unknown') === true || values?.includes(null) === true,
    types: isSingle ? types : undefined,
    ...(description === undefined ? {} : { description }),
  };
}

export function placeholderOf(name: string): string {
  return `[${labelOf(name)}]`;
}

function labelOf(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase();
}

const firstLine = (hash: string): string => `BEGIN ${hash.slice(0, 8)}`;
const lastLine = (hash: string): string => `END ${hash.slice(0, 8)}`;

export function skeletonOf(fields: readonly TemplateField[], hash: string): string {
  const lines = fields.map(({ name }) => `${labelOf(name)}: ${placeholderOf(name)}`);
  return [firstLine(hash), ...lines, lastLine(hash)].join('\n');
}

export function filledSkeleton(value: unknown, fields: readonly TemplateField[], hash: string): string {
  const record = value as Readonly<Record<string, unknown>>;
  const lines = fields.map(
    ({ name }) => `${labelOf(name)}: ${record[name] === null ? 'unknown' : String(record[name])}`,
  );
  return [firstLine(hash), ...lines, lastLine(hash)].join('\n');
}

/** A model that hands the placeholder back has filled in nothing. */
export function echoed(value: unknown, fields: readonly TemplateField[]): readonly string[] {
  const record = (typeof value === 'object' && value !== null ? value : {}) as Readonly<Record<string, unknown>>;
  return fields
    .filter(({ name }) => record[name] === placeholderOf(name))
    .map(({ name }) => `${name}: the placeholder ${placeholderOf(name)} was not filled in`);
}

export type SkeletonRead =
  | { readonly ok: true; readonly value: Readonly<Record<string, unknown>>; readonly prose: string }
  | { readonly ok: false; readonly problem: string };

/** Reads a filled-in skeleton: all labels, once each and in their order. What types they have is for the schema to say. */
export function readSkeleton(
  text: string,
  fields: readonly TemplateField[],
  { hash, narrative }: { readonly hash: string; readonly narrative: boolean },
): SkeletonRead {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const [first, last] = [lines.indexOf(firstLine(hash)), lines.lastIndexOf(lastLine(hash))];
  if (first < 0 || last < first) return bad(`the lines "${firstLine(hash)}" and "${lastLine(hash)}" are missing`);
  const prose = [...lines.slice(0, first), ...lines.slice(last + 1)].join('\n').trim();
  if (!narrative && prose !== '') return bad('there is text around the fields');
  const found = labelledValues(lines.slice(first + 1, last));
  if (found === undefined) return bad('the first line has no label');
  const [given, wanted] = [found.map(({ label }) => label), fields.map(({ name }) => labelOf(name))];
  const unknown = given.find((label) => !wanted.includes(label));
  if (unknown !== undefined) return bad(`${unknown} is not a field`);
  const missing = fields.find(({ name, required }) => required && !given.includes(labelOf(name)));
  if (missing !== undefined) return bad(`${labelOf(missing.name)} is missing`);
  const inOrder = wanted.filter((label) => given.includes(label));
  if (given.join() !== inOrder.join()) return bad(`the fields must be in this order, once each: ${wanted.join(', ')}`);
  const value = found.map(({ label, text: said }) => {
    const field = fields.find(({ name }) => labelOf(name) === label);
    return [field?.name ?? label, field === undefined ? said : valueFor(said, field)] as const;
  });
  return { ok: true, value: Object.fromEntries(value), prose };
}

/** A value goes on until the next label. */
function labelledValues(
  lines: readonly string[],
): readonly { readonly label: string; readonly text: string }[] | undefined {
  const found: { label: string; text: string }[] = [];
  for (const line of lines) {
    const [, label, text = ''] = /^([A-Z][A-Z0-9_]*):(?: (.*))?$/.exec(line) ?? [];
    const last = found.at(-1);
    if (label !== undefined) found.push({ label, text });
    else if (last === undefined) return undefined;
    else last.text += `\n${line}`;
  }
  return found.map(({ label, text }) => ({ label, text: text.trim() }));
}

function valueFor(text: string, { types = [], nullable }: TemplateField): unknown {
  if (nullable && types.includes('null') && /^(?:unknown|null)?$/i.test(text)) return null;
  if (types.includes('string')) return text;
  if (types.includes('boolean') && /^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  const isNumber = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text);
  return isNumber ? Number(text) : text; // the schema refuses a text where a number belongs
}

function bad(problem: string): SkeletonRead {
  return { ok: false, problem };
}
