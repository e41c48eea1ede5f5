import { useId, useState } from 'preact/hooks';
import type { Widget } from '../../../src/core/question.js';
import type { JsonSchema } from '../../../src/core/schema.js';
import { ArgumentsEditor, useArguments } from './arguments-editor.js';
import { FileAnswer } from './file-answer.js';
import { questionIn, requests, type WholeRequest } from './requests.js';
import { type Sending, SendingNotes, useSending } from './sending.js';
import { type Details, Problem, type WidgetProps } from './widget.js';

/** Asks in the way that the question wants to be asked; what is not known here is answered as JSON. */
export function QuestionPanel({ request, onSaid }: { readonly request: WholeRequest; readonly onSaid: () => void }) {
  const sending = useSending(onSaid);
  const { widget, details = {} } = questionIn(request);
  const onAnswer = (value: unknown) => void sending.send(() => requests.answer(request.id, value));
  const View = (widget === undefined ? undefined : WIDGETS[widget]) ?? AnyAnswer;
  return (
    <section class="verdict" aria-label="Answer" data-widget={widget ?? 'json'}>
      <View details={details} schema={request.answer} sending={sending} onAnswer={onAnswer} />
      <SendingNotes sending={sending} />
    </section>
  );
}

const WIDGETS: Readonly<Record<Widget, (props: WidgetProps) => preact.JSX.Element>> = {
  confirm: Confirm,
  text: TextAnswer,
  number: NumberAnswer,
  date: DateAnswer,
  'choose-one': ChooseOne,
  'choose-several': ChooseSeveral,
  file: FileAnswer,
  form: (props) => <Fields {...props} schema={asSchema(props.details['fields']) ?? props.schema} given={undefined} />,
  'edit-arguments': (props) => (
    <Fields {...props} schema={asSchema(props.details['schema']) ?? props.schema} given={props.details['arguments']} />
  ),
};

function AnyAnswer(props: WidgetProps) {
  return <Fields {...props} given={undefined} />;
}

function asSchema(value: unknown): JsonSchema | undefined {
  return typeof value === 'object' && value !== null ? (value as JsonSchema) : undefined;
}

function Send({
  sending,
  onSend,
  title = 'Answer',
}: {
  readonly sending: Sending;
  readonly onSend: () => void;
  readonly title?: string;
}) {
  return (
    <div class="actions">
      <button type="button" class="button primary" disabled={sending.busy} onClick={onSend}>
        {sending.busy ? 'Sending…' : title}
      </button>
    </div>
  );
}

function Confirm({ sending, onAnswer }: WidgetProps) {
  return (
    <div class="actions">
      <button type="button" class="button primary" disabled={sending.busy} onClick={() => onAnswer(true)}>
        Yes
      </button>
      <button type="button" class="button" disabled={sending.busy} onClick={() => onAnswer(false)}>
        No
      </button>
    </div>
  );
}

function TextAnswer({ details, sending, onAnswer }: WidgetProps) {
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
      {tried && text.trim() === '' ? <Problem text="Say something." /> : null}
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

function NumberAnswer(props: WidgetProps) {
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

function DateAnswer(props: WidgetProps) {
  const { earliest, latest } = props.details;
  const words = [
    ...(typeof earliest === 'string' ? [`from ${earliest}`] : []),
    ...(typeof latest === 'string' ? [`up to ${latest}`] : []),
  ].join(' ');
  const property = { type: 'string', format: 'date', ...(words === '' ? {} : { description: `A day ${words}` }) };
  return <OneValue {...props} property={property} />;
}

function choicesIn({ choices }: Details): readonly string[] {
  return Array.isArray(choices) ? choices.map(String) : [];
}

function ChooseOne({ details, sending, onAnswer }: WidgetProps) {
  const [chosen, setChosen] = useState<string>();
  const [tried, setTried] = useState(false);
  const group = useId();
  const send = () => {
    setTried(true);
    if (chosen !== undefined) onAnswer(chosen);
  };
  return (
    <>
      <fieldset class="choices">
        <legend class="visually-hidden">Choose one</legend>
        {choicesIn(details).map((choice) => (
          <label key={choice}>
            <input type="radio" name={group} checked={chosen === choice} onChange={() => setChosen(choice)} />
            {choice}
          </label>
        ))}
      </fieldset>
      {tried && chosen === undefined ? <Problem text="Choose one." /> : null}
      <Send sending={sending} onSend={send} />
    </>
  );
}

function ChooseSeveral({ details, sending, onAnswer }: WidgetProps) {
  const choices = choicesIn(details);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [tried, setTried] = useState(false);
  const problem = howMany(chosen.length, details);
  const send = () => {
    setTried(true);
    if (problem === undefined) onAnswer(choices.filter((choice) => chosen.includes(choice)));
  };
  return (
    <>
      <fieldset class="choices">
        <legend class="visually-hidden">Choose any number</legend>
        {choices.map((choice) => (
          <label key={choice}>
            <input
              type="checkbox"
              checked={chosen.includes(choice)}
              onChange={(event) =>
                setChosen(event.currentTarget.checked ? [...chosen, choice] : chosen.filter((one) => one !== choice))
              }
            />
            {choice}
          </label>
        ))}
      </fieldset>
      {tried && problem !== undefined ? <Problem text={problem} /> : null}
      <Send sending={sending} onSend={send} />
    </>
  );
}

function howMany(chosen: number, { minimum, maximum }: Details): string | undefined {
  if (typeof minimum === 'number' && chosen < minimum) return `Choose at least ${minimum}.`;
  return typeof maximum === 'number' && chosen > maximum ? `Choose at most ${maximum}.` : undefined;
}

function Fields({ schema, given, sending, onAnswer }: WidgetProps & { readonly given: unknown }) {
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
