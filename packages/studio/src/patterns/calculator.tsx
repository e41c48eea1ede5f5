import { useState } from 'preact/hooks';
import { calculated, type Given, intervalText, unknownsOf } from './calculate.js';
import type { PatternInfo } from './catalogue.js';

/** Parameters in, model calls out. The same function predicts the calls of a run. */
export function Calculator({ pattern }: { readonly pattern: PatternInfo }) {
  const { calls, formula, params, several = {} } = pattern;
  const unknowns = unknownsOf(calls);
  const [given, setGiven] = useState<Given>(() =>
    Object.fromEntries([
      ...unknowns.params.flatMap((name) => numeric(name, params[name]?.default)),
      ...unknowns.parts.map((name) => [`part ${name}`, 1] as const),
    ]),
  );
  const pick = (prefix: string, names: readonly string[]): Given =>
    Object.fromEntries(names.flatMap((name) => numeric(name, given[`${prefix}${name}`])));
  const result = calculated(calls, {
    several,
    params: pick('', unknowns.params),
    parts: pick('part ', unknowns.parts),
    facts: pick(
      'fact ',
      unknowns.facts.map(({ name }) => name),
    ),
  });
  const field = (key: string, label: string, hint: string) => (
    <Field
      key={key}
      name={key}
      label={label}
      hint={hint}
      value={given[key]}
      onValue={(value) => setGiven((before) => changed(before, key, value))}
    />
  );
  return (
    <section class="card card-body calculator" aria-label="Calculator">
      <h2>Model calls</h2>
      <p>
        <code class="formula">{formula}</code>
      </p>
      <div class="calculator-fields">
        {unknowns.params.map((name) => field(name, name, 'parameter'))}
        {unknowns.parts.map((name) => field(`part ${name}`, name, 'calls for each use'))}
        {unknowns.facts.map(({ name }) => field(`fact ${name}`, name, 'known after a run'))}
      </div>
      <output class={`calculated ${result.kind === 'problem' ? 'bad' : ''}`}>
        {result.kind === 'problem' ? result.text : `${intervalText(result.calls)} model calls`}
      </output>
    </section>
  );
}

function Field({
  name,
  label,
  hint,
  value,
  onValue,
}: {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly value: number | undefined;
  readonly onValue: (value: number | undefined) => void;
}) {
  return (
    <label>
      <span class="label">
        {label} <span class="quiet">{hint}</span>
      </span>
      <input
        class="field"
        type="number"
        min="0"
        name={name}
        value={value ?? ''}
        onInput={({ currentTarget: { value: text } }) => onValue(text === '' ? undefined : Number(text))}
      />
    </label>
  );
}

const numeric = (name: string, value: unknown): readonly (readonly [string, number])[] =>
  typeof value === 'number' ? [[name, value]] : [];

function changed(given: Given, key: string, value: number | undefined): Given {
  const { [key]: _before, ...rest } = given;
  return value === undefined ? rest : { ...rest, [key]: value };
}
