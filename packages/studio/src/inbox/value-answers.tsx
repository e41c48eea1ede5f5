import { useId, useState } from 'preact/hooks';
import type { JsonSchema } from '../../../flyball/src/core/schema.js';
import { ArgumentsEditor, useArguments } from './arguments-editor.js';
import { Problem, Send, type WidgetProps } from './widget.js';

/** Words, numbers, days, and whole forms. */
export function TextAnswer({ details, sending, onAnswer }: WidgetProps) {
  const [text, setText] = useState('');
  const [tried, setTried] = useState(false);
  const id = useId();
  const send = () => {
    setTried(true);
    if (text.trim() !== '') onAnswer(text);
  };
  return (
    <>
      <label class="label" for={id}>
        Your answer
      </label>
      <textarea
        id={id}
        class="field"
        rows={3}
        value={text}
        aria-invalid={tried && text.trim() === ''}
        {...(typeof details['maxLength'] === 'number' ? { maxLength: details['maxLength'] } : {})}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send();
        }}
      />
      {tried && text.trim() === '' ? <Problem text="Enter an answer." /> : null}
      <Send sending={sending} onSend={send} />
    </>
  );
}

/** One value of a type that the form already knows how to ask for. */
function OneValue({ property, sending, onAnswer }: WidgetProps & { readonly property: JsonSchema }) {
  const schema = {
    type: 'object',
    properties: { answer: { title: 'Your answer', ...property } },
    required: ['answer'],
  };
  return (
    <Fields
      details={{}}
      schema={schema}
      sending={sending}
      given={undefined}
      onAnswer={(value) => onAnswer((value as { readonly answer: unknown }).answer)}
    />
  );
}

export function NumberAnswer(props: WidgetProps) {
  const { minimum, maximum, integer } = props.details;
  const property = { type: integer === true ? 'integer' : 'number', ...limits(minimum, maximum) };
  return <OneValue {...props} property={property} />;
}

function limits(minimum: unknown, maximum: unknown): Readonly<Record<string, unknown>> {
  const words = [
    ...(typeof minimum === 'number' ? [`from ${minimum}`] : []),
    ...(typeof maximum === 'number' ? [`up to ${maximum}`] : []),
  ];
  return {
    ...(typeof minimum === 'number' ? { minimum } : {}),
    ...(typeof maximum === 'number' ? { maximum } : {}),
    ...(words.length === 0 ? {} : { description: `A number ${words.join(' ')}` }),
  };
}

export function DateAnswer(props: WidgetProps) {
  const { earliest, latest } = props.details;
  const words = [
    ...(typeof earliest === 'string' ? [`from ${earliest}`] : []),
    ...(typeof latest === 'string' ? [`up to ${latest}`] : []),
  ].join(' ');
  const property = { type: 'string', format: 'date', ...(words === '' ? {} : { description: `A day ${words}` }) };
  return <OneValue {...props} property={property} />;
}

export function Fields({ schema, given, sending, onAnswer }: WidgetProps & { readonly given: unknown }) {
  const editing = useArguments(schema, given);
  const [tried, setTried] = useState(false);
  const send = () => {
    setTried(true);
    if (editing.problem === undefined) onAnswer(editing.value);
  };
  return (
    <>
      <ArgumentsEditor editing={editing} tried={tried} />
      <Send sending={sending} onSend={send} />
    </>
  );
}
