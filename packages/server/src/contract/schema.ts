import type { JsonSchema } from 'flyball';

/**
 * A JSON Schema together with the type of what it accepts. The same object checks a request, types its handler and is
 * printed into the OpenAPI document, so that none of the three can say something else.
 */
export interface Schema<T> {
  readonly json: JsonSchema;
  /** What is wrong with a value that does not fit, in better words than those of a checker of schemas. */
  readonly inWords?: (value: unknown) => string | undefined;
  /** Only for the compiler. */
  readonly type?: T;
}

export type TypeOf<S> = S extends Schema<infer T> ? T : never;

export interface Optional<T> extends Schema<T> {
  readonly optional: true;
}
type Fields = Readonly<Record<string, Schema<unknown>>>;
type OptionalKeys<F extends Fields> = { [K in keyof F]: F[K] extends Optional<unknown> ? K : never }[keyof F];
export type ObjectOf<F extends Fields> = { readonly [K in Exclude<keyof F, OptionalKeys<F>>]: TypeOf<F[K]> } & {
  readonly [K in OptionalKeys<F>]?: TypeOf<F[K]>;
};

/** More words of JSON Schema: description, limits, examples. */
type Words = Readonly<Record<string, unknown>>;

const made = <T>(json: JsonSchema): Schema<T> => ({ json });

export const s = {
  string: (words: Words = {}) => made<string>({ type: 'string', ...words }),
  number: (words: Words = {}) => made<number>({ type: 'number', ...words }),
  /** As far as a number holds every integer: one beyond that would come back as another. */
  integer: (words: Words = {}) =>
    made<number>({
      type: 'integer',
      minimum: Number.MIN_SAFE_INTEGER,
      maximum: Number.MAX_SAFE_INTEGER,
      ...words,
    }),
  boolean: (words: Words = {}) => made<boolean>({ type: 'boolean', ...words }),
  /** Any JSON value. */
  any: (words: Words = {}) => made<unknown>({ ...words }),
  enumOf: <const V extends readonly (string | number | boolean | null)[]>(values: V, words: Words = {}) =>
    made<V[number]>({ enum: values, ...words }),
  list: <T>(of: Schema<T>, words: Words = {}) => made<readonly T[]>({ type: 'array', items: of.json, ...words }),
  record: <T>(of: Schema<T>, words: Words = {}) =>
    made<Readonly<Record<string, T>>>({ type: 'object', additionalProperties: of.json, ...words }),
  /** Refuses what it does not name: a misspelt field must not be dropped in silence. */
  object: <F extends Fields>(fields: F, words: Words = {}) => made<ObjectOf<F>>(objectSchema(fields, words)),
  oneOf: <S extends readonly Schema<unknown>[]>(of: S, words: Words = {}) =>
    made<TypeOf<S[number]>>({ oneOf: of.map(({ json }) => json), ...words }),
  optional: <T>(of: Schema<T>): Optional<T> => ({ ...of, optional: true }),
  /** Stands in `components.schemas` of the document under this name and is referred to from everywhere else. */
  named: <T>(title: string, of: Schema<T>): Schema<T> => made<T>({ title, ...of.json }),
} as const;

function objectSchema(fields: Fields, words: Words): JsonSchema {
  const required = Object.entries(fields)
    .filter(([, field]) => !('optional' in field))
    .map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(([name, { json }]) => [name, json])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
    ...words,
  };
}
