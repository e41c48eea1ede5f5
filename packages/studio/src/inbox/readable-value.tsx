/** A value in words and lists instead of JSON: what somebody agrees to has to be readable. Nothing is hidden. */
export function Readable({ value }: { readonly value: unknown }) {
  if (value === null || value === undefined) return <span class="quiet">nothing</span>;
  if (typeof value === 'boolean') return <span>{value ? 'yes' : 'no'}</span>;
  if (typeof value === 'number') return <span class="number">{String(value)}</span>;
  if (typeof value === 'string') return <TextValue text={value} />;
  return Array.isArray(value) ? <ListValue list={value} /> : <ObjectValue value={value as object} />;
}

function TextValue({ text }: { readonly text: string }) {
  if (text === '') return <span class="quiet">empty text</span>;
  return <span class="text-value">{text}</span>;
}

function ListValue({ list }: { readonly list: readonly unknown[] }) {
  if (list.length === 0) return <span class="quiet">an empty list</span>;
  return (
    <ol class="value-list">
      {list.map((one, index) => (
        <li key={index}>
          <Readable value={one} />
        </li>
      ))}
    </ol>
  );
}

function ObjectValue({ value }: { readonly value: object }) {
  const fields = Object.entries(value);
  if (fields.length === 0) return <span class="quiet">no arguments</span>;
  return (
    <dl class="value-fields">
      {fields.map(([name, one]) => (
        <div key={name}>
          <dt>{nameInWords(name)}</dt>
          <dd>
            <Readable value={one} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** `refundAmount` and `refund_amount` read as `refund amount`. */
export function nameInWords(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`)
    .replace(/[_-]+/g, ' ')
    .trim();
}
