import { useId } from 'preact/hooks';
import type { Draft, Field } from './fields.js';
import './forms.css';

/** Controls for the fields of a schema. Problems are said once somebody has tried to send. */
export function SchemaForm({
  fields,
  draft,
  problems,
  onChange,
}: {
  readonly fields: readonly Field[];
  readonly draft: Draft;
  readonly problems: Readonly<Record<string, string>>;
  readonly onChange: (draft: Draft) => void;
}) {
  return (
    <div class="form">
      {fields.map((field) => (
        <FieldRow
          key={field.name}
          field={field}
          text={draft[field.name] ?? ''}
          {...(problems[field.name] === undefined ? {} : { problem: problems[field.name] })}
          onText={(text) => onChange({ ...draft, [field.name]: text })}
        />
      ))}
      {problems[''] === undefined ? null : (
        <p class="field-problem" role="alert">
          {problems['']}
        </p>
      )}
    </div>
  );
}

interface RowProps {
  readonly field: Field;
  readonly text: string;
  readonly problem?: string | undefined;
  readonly onText: (text: string) => void;
}

function FieldRow({ field, text, problem, onText }: RowProps) {
  const id = useId();
  const { title, description, required } = field;
  return (
    <div class="field-row">
      <label class="label" for={id}>
        {title} {required ? <span class="quiet">(needed)</span> : null}
      </label>
      {description === undefined ? null : (
        <p class="quiet field-about" id={`${id}-about`}>
          {description}
        </p>
      )}
      <ControlOf field={field} text={text} id={id} invalid={problem !== undefined} onText={onText} />
      {problem === undefined ? null : (
        <p class="field-problem" role="alert" id={`${id}-problem`}>
          {title} {problem}.
        </p>
      )}
    </div>
  );
}

interface ControlProps {
  readonly field: Field;
  readonly text: string;
  readonly id: string;
  readonly invalid: boolean;
  readonly onText: (text: string) => void;
}

function ControlOf({ field, text, id, invalid, onText }: ControlProps) {
  const { control, name, required, choices, schema, description } = field;
  const common = {
    id,
    name,
    class: 'field',
    'aria-required': required,
    'aria-invalid': invalid,
    'aria-describedby': [
      ...(description === undefined ? [] : [`${id}-about`]),
      ...(invalid ? [`${id}-problem`] : []),
    ].join(' '),
    onInput: (event: { readonly currentTarget: { readonly value: string } }) => onText(event.currentTarget.value),
  };
  const { minimum, maximum, maxLength, type } = schema as Readonly<Record<string, number | string | undefined>>;
  switch (control) {
    case 'yes-no':
      return (
        <select {...common} value={text}>
          {required && text !== '' ? null : <option value="">not set</option>}
          <option value="true">yes</option>
          <option value="false">no</option>
        </select>
      );
    case 'choice':
      return (
        <select {...common} value={text}>
          {required && text !== '' ? null : <option value="">choose…</option>}
          {choices.map((choice) => (
            <option key={JSON.stringify(choice)} value={JSON.stringify(choice)}>
              {typeof choice === 'string' ? choice : JSON.stringify(choice)}
            </option>
          ))}
        </select>
      );
    case 'number':
      return (
        <input
          {...common}
          type="number"
          value={text}
          step={type === 'integer' ? 1 : 'any'}
          {...(minimum === undefined ? {} : { min: minimum })}
          {...(maximum === undefined ? {} : { max: maximum })}
        />
      );
    case 'date':
      return <input {...common} type="date" value={text} />;
    case 'line':
      return (
        <input
          {...common}
          type="text"
          value={text}
          {...(maxLength === undefined ? {} : { maxLength: Number(maxLength) })}
        />
      );
    case 'text':
      return <textarea {...common} rows={Math.min(10, Math.max(2, text.split('\n').length))} value={text} />;
    case 'json':
      return (
        <textarea
          {...common}
          class="field mono"
          rows={Math.min(14, Math.max(3, text.split('\n').length))}
          value={text}
          spellcheck={false}
          placeholder={type === 'array' ? '[ … ]' : type === 'object' ? '{ … }' : 'JSON'}
        />
      );
  }
}

/** For what has no fields: all of it as JSON. */
export function JsonField({
  label,
  text,
  problem,
  onText,
}: {
  readonly label: string;
  readonly text: string;
  readonly problem?: string | undefined;
  readonly onText: (text: string) => void;
}) {
  const id = useId();
  return (
    <div class="field-row">
      <label class="label" for={id}>
        {label}
      </label>
      <textarea
        id={id}
        class="field mono"
        rows={Math.min(16, Math.max(4, text.split('\n').length))}
        spellcheck={false}
        value={text}
        aria-invalid={problem !== undefined}
        onInput={(event) => onText(event.currentTarget.value)}
      />
      {problem === undefined ? null : (
        <p class="field-problem" role="alert">
          It {problem}.
        </p>
      )}
    </div>
  );
}
