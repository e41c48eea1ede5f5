import type { FromJsonSchema, WithOptional } from '../core/json-type.js';

/** The types of values that fit fields written as a literal. Types only: `fields.ts` checks the values. */

/** No field is declared, or the compiler does not know which. */
type IsOpen<F> = string extends keyof F ? true : [keyof F] extends [never] ? true : false;

type Values<F> = { readonly [K in keyof F]: FromJsonSchema<F[K]> };

type With<F, Mark> = { [K in keyof F]: F[K] extends Mark ? K : never }[keyof F];
type Optional<F> = With<F, { readonly required: false }>;
type Defaulted<F> = With<F, { readonly default: unknown }>;

/** What a caller gives: optional fields, and those with a default, may be missing. */
export type GivenFields<F> = IsOpen<F> extends true ? unknown : WithOptional<Values<F>, Optional<F> | Defaulted<F>>;

/** The same with defaults filled in. */
export type FilledFields<F> =
  IsOpen<F> extends true ? unknown : WithOptional<Values<F>, Exclude<Optional<F>, Defaulted<F>>>;

/** What an agent with these outputs answers: always an object. */
export type AnsweredFields<F> = IsOpen<F> extends true ? Readonly<Record<string, unknown>> : FilledFields<F>;

/** For a definition that declares none. */
export type NoFields = Readonly<Record<never, never>>;
