import { readJson, wholeJson } from '../core/read-json.js';
import type { Checked, JsonSchema, StandardSchema } from '../core/schema.js';
import { jsonSchemaStandard } from '../tools/json-schema-standard.js';
import type { AgentSpec } from './agent-spec.js';
import { defaultsOf, schemaOfFields } from './fields.js';

/** What an answer has to be. `named`: fields without types, so that raw text can stand for the first one. */
export type OutputForm =
  | {
      readonly kind: 'schema';
      readonly schema: JsonSchema;
      readonly check: StandardSchema;
      readonly defaults?: Defaults;
    }
  | { readonly kind: 'named'; readonly fields: readonly string[]; readonly defaults?: Defaults };

/** Values of outputs that an answer may leave out. */
type Defaults = Readonly<Record<string, unknown>>;

/** A schema where the definition has one, or where an output has a type. */
export function outputForm(
  spec: AgentSpec,
  given?: { readonly schema: JsonSchema; readonly check: StandardSchema },
): OutputForm {
  if (given !== undefined) return { kind: 'schema', ...given };
  const outputs = spec.outputs ?? {};
  const typed = Object.values(outputs).some(({ type, enum: values }) => type !== undefined || values !== undefined);
  const schema = spec.outputSchema ?? (typed ? schemaOfFields(outputs, 'allow') : undefined);
  const defaults = defaultsOf(outputs);
  if (schema === undefined) return { kind: 'named', fields: Object.keys(outputs), defaults };
  return { kind: 'schema', schema, check: jsonSchemaStandard(schema), defaults };
}

/** An answer as the definition wants it, or one sentence about what is wrong with it. */
export async function readOutput(form: OutputForm, text: string): Promise<Checked<unknown>> {
  const read = await readText(form, text);
  return read.ok && isRecord(read.value) ? { ok: true, value: { ...form.defaults, ...read.value } } : read;
}

async function readText(form: OutputForm, text: string): Promise<Checked<unknown>> {
  if (form.kind === 'schema') {
    const read = await readJson(text, form.check);
    return read.ok ? { ok: true, value: read.value } : read;
  }
  // without a schema nothing says that it has to be JSON: prose around a value is part of the answer
  const whole = wholeJson(text)?.value;
  return { ok: true, value: isRecord(whole) ? whole : wrapped(form, text) };
}

function wrapped({ fields }: Extract<OutputForm, { kind: 'named' }>, text: string): Readonly<Record<string, string>> {
  return { [fields[0] ?? 'result']: text };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
