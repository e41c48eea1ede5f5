import { useId, useState } from 'preact/hooks';
import { requests, type WholeRequest } from './requests.js';
import { SendingNotes, useSending } from './sending.js';
import { Problem } from './widget.js';

/** Somebody looks where the action would have left its trace, and says whether it took place. */
export function DoubtPanel({ request, onSaid }: { readonly request: WholeRequest; readonly onSaid: () => void }) {
  const sending = useSending(onSaid);
  const [result, setResult] = useState('');
  const id = useId();
  const parsed = resultIn(result);
  const say = (value: unknown) => void sending.send(() => requests.answer(request.id, value));
  return (
    <section class="verdict" aria-label="Answer" data-widget="doubt">
      <p class="quiet">
        The action was started, but its result was not recorded. Check whether it happened, then choose.
      </p>
      <label class="label" for={id}>
        Result as JSON, if it happened
      </label>
      <textarea
        id={id}
        class="field"
        rows={2}
        value={result}
        aria-invalid={parsed === undefined}
        onInput={(event) => setResult(event.currentTarget.value)}
      />
      {parsed === undefined ? (
        <Problem text="This is not valid JSON. Leave the field empty if there was no result." />
      ) : null}
      <div class="actions">
        <button
          type="button"
          class="button primary"
          disabled={sending.busy || parsed === undefined}
          onClick={() => say({ happened: true, result: parsed?.value ?? null })}
        >
          It happened
        </button>
        <button type="button" class="button" disabled={sending.busy} onClick={() => say({ happened: false })}>
          It did not happen
        </button>
      </div>
      <SendingNotes sending={sending} />
    </section>
  );
}

function resultIn(text: string): { readonly value: unknown } | undefined {
  if (text.trim() === '') return { value: null };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}
