import { useMemo, useState } from 'preact/hooks';
import type { JsonSchema } from '../../../flyball/src/core/schema.js';
import { type Draft, draftOf, type Field, fieldsOf, fromJson, written } from '../forms/fields.js';
import { JsonField, SchemaForm } from '../forms/schema-form.js';
import { problemsIn } from '../forms/schema-problems.js';

export interface Editing {
  readonly fields: readonly Field[] | undefined;
  readonly draft: Draft;
  setDraft(draft: Draft): void;
  readonly text: string;
  setText(text: string): void;
  readonly value: unknown;
  readonly problems: Readonly<Record<string, string>>;
  /** Undefined when what is written may be sent. */
  readonly problem: string | undefined;
}

/** A value that is being changed: field by field where its schema is known, as JSON where it is not. */
export function useArguments(schema: JsonSchema | undefined, proposed: unknown): Editing {
  const fields = useMemo(() => fieldsFor(schema, proposed), [schema, proposed]);
  const [draft, setDraft] = useState<Draft>(() => draftOf(fields ?? [], proposed ?? {}));
  const [text, setText] = useState(() => JSON.stringify(proposed ?? null, null, 2));
  const result = fields === undefined ? fromText(text, schema) : written(fields, draft, schema);
  const [problem] = Object.values(result.problems);
  return { fields, draft, setDraft, text, setText, ...result, problem };
}

/** Fields only where they can show all of what was proposed. */
function fieldsFor(schema: JsonSchema | undefined, proposed: unknown): readonly Field[] | undefined {
  const fields = fieldsOf(schema);
  const names = Object.keys(typeof proposed === 'object' && proposed !== null ? proposed : {});
  return names.every((name) => fields?.some((field) => field.name === name)) ? fields : undefined;
}

function fromText(text: string, schema: JsonSchema | undefined): Pick<Editing, 'value' | 'problems'> {
  const read = fromJson(text);
  if ('problem' in read) return { value: undefined, problems: { '': read.problem } };
  const [first] = problemsIn(schema, read.value);
  return { value: read.value, problems: first === undefined ? {} : { '': `${first.at} ${first.message}`.trim() } };
}

export function ArgumentsEditor({ editing, tried }: { readonly editing: Editing; readonly tried: boolean }) {
  const problems = tried ? editing.problems : {};
  if (editing.fields === undefined)
    return (
      <JsonField label="New arguments (JSON)" text={editing.text} problem={problems['']} onText={editing.setText} />
    );
  return <SchemaForm fields={editing.fields} draft={editing.draft} problems={problems} onChange={editing.setDraft} />;
}
