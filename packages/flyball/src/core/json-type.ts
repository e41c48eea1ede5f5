import type { JsonSchema } from './schema.js';

/** The type of values that fit a JSON Schema written as a literal: what a compiler can know of it, and `unknown` beyond. */
export type FromJsonSchema<S> = S extends { readonly const: infer C }
  ? C
  : S extends { readonly enum: readonly (infer E)[] }
    ? E
    : S extends { readonly type: infer T }
      ? ByType<S, T extends readonly (infer Member)[] ? Member : T>
      : unknown;

type ByType<S, T> = T extends 'string'
  ? string
  : T extends 'number' | 'integer'
    ? number
    : T extends 'boolean'
      ? boolean
      : T extends 'null'
        ? null
        : T extends 'array'
          ? ListOf<S>
          : T extends 'object'
            ? ObjectOf<S>
            : unknown;

type ListOf<S> = S extends { readonly items: infer I } ? readonly FromJsonSchema<I>[] : readonly unknown[];

type ObjectOf<S> = S extends { readonly properties: infer P }
  ? string extends keyof P
    ? Readonly<Record<string, unknown>>
    : WithOptional<{ readonly [K in keyof P]: FromJsonSchema<P[K]> }, Exclude<keyof P, RequiredIn<S>>>
  : Readonly<Record<string, unknown>>;

type RequiredIn<S> = S extends { readonly required: readonly (infer R)[] } ? R : never;

/** The same object, in which these fields may be missing: one flat type, so that messages about it are short. */
export type WithOptional<T, K extends PropertyKey> = Omit<T, K> & Partial<Pick<T, K & keyof T>> extends infer Both
  ? { readonly [Name in keyof Both]: Both[Name] }
  : never;

/** Arguments of a tool whose input is this schema: an object, whatever else is known. */
export type ArgsFromJson<S extends JsonSchema> =
  FromJsonSchema<S> extends infer A extends Readonly<Record<string, unknown>> ? A : Readonly<Record<string, unknown>>;
