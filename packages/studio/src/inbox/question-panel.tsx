import type { Widget } from '../../../flyball/src/core/question.js';
import type { JsonSchema } from '../../../flyball/src/core/schema.js';
import { ChooseOne, ChooseSeveral, Confirm } from './choice-answers.js';
import { FileAnswer } from './file-answer.js';
import { questionIn, requests, type WholeRequest } from './requests.js';
import { SendingNotes, useSending } from './sending.js';
import { DateAnswer, Fields, NumberAnswer, TextAnswer } from './value-answers.js';
import type { WidgetProps } from './widget.js';

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
