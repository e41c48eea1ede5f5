/**
 * Standard Schema (https://standardschema.dev), as types only: users bring zod, valibot or arktype, and the core
 * depends on none of them. `jsonSchema` is the companion Standard JSON Schema, where the library offers it.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: string }) => Record<string, unknown>;
      readonly output: (options: { readonly target: string }) => Record<string, unknown>;
    };
  };
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** A JSON Schema. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export type Checked<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

/** One compact sentence about what is wrong, which can be shown to a person or to a model unchanged. */
export async function check<T>(schema: StandardSchema<unknown, T>, value: unknown): Promise<Checked<T>> {
  const result = await schema['~standard'].validate(value);
  if (result.issues === undefined) return { ok: true, value: result.value };
  return { ok: false, problem: result.issues.map(issueText).join('; ') };
}

function issueText(issue: StandardIssue): string {
  const path = (issue.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
  return path === '' ? issue.message : `${path}: ${issue.message}`;
}

/** The JSON Schema of a Standard Schema, where its library can tell; undefined where it cannot. */
export function jsonSchemaOf(schema: StandardSchema): JsonSchema | undefined {
  const convert = schema['~standard'].jsonSchema;
  return convert?.input({ target: 'draft-2020-12' });
}
