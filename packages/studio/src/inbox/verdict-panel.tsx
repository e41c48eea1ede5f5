import { useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Verdict } from '../../../flyball/src/core/approval.js';
import { type KeyAction, useKeys } from '../app/keys.js';
import { KeyHint } from '../ui/key-hint.js';
import { ArgumentsEditor, useArguments } from './arguments-editor.js';
import { approvalIn, mayModify, requests, type WholeRequest } from './requests.js';
import { SendingNotes, useSending } from './sending.js';
import { type Kind, needsReason, VERDICTS } from './verdict-words.js';

/** Four answers. A letter picks one and puts the cursor where its words go; nothing is sent by a letter alone. */
export function VerdictPanel({ request, onSaid }: { readonly request: WholeRequest; readonly onSaid: () => void }) {
  const [kind, setKind] = useState<Kind>();
  const taking = useSending(onSaid);
  const { recommended } = approvalIn(request);
  const offered = useMemo(() => VERDICTS.filter((one) => one.kind !== 'modify' || mayModify(request)), [request]);
  useKeys(
    useMemo(
      (): readonly KeyAction[] =>
        offered.map((one) => ({ keys: one.key, what: `${one.title} the open request`, run: () => setKind(one.kind) })),
      [offered],
    ),
  );
  return (
    <section class="verdict" aria-label="Decide">
      <div class="verdict-choice">
        {offered.map((one) => (
          <button
            key={one.kind}
            type="button"
            class={`button ${one.kind === 'approve' ? 'primary' : one.kind === 'reject' ? 'danger' : ''}`}
            aria-pressed={kind === one.kind}
            onClick={() => setKind(one.kind)}
          >
            {one.title} <KeyHint keys={one.key} />
          </button>
        ))}
        {recommended === undefined ? null : (
          <button
            type="button"
            class="button"
            disabled={taking.busy}
            onClick={() =>
              void taking.send(() => requests.decide(request.id, { verdict: 'approve', recommended: true }))
            }
          >
            {taking.busy ? 'Sending…' : 'Approve the recommendation'}
          </button>
        )}
      </div>
      <SendingNotes sending={taking} />
      {kind === undefined ? null : (
        <VerdictForm key={kind} kind={kind} request={request} onSaid={onSaid} onBack={() => setKind(undefined)} />
      )}
    </section>
  );
}

interface FormProps {
  readonly kind: Kind;
  readonly request: WholeRequest;
  readonly onSaid: () => void;
  readonly onBack: () => void;
}

function VerdictForm({ kind, request, onSaid, onBack }: FormProps) {
  const [reason, setReason] = useState('');
  const [tried, setTried] = useState(false);
  const { input, output } = approvalIn(request);
  const editing = useArguments(request.arguments, output ?? input);
  const sending = useSending(onSaid);
  const first = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => {
    // whoever modifies wants to write the arguments, not the reason that follows them
    const editor = form.current?.querySelector<HTMLElement>('input, select, textarea');
    (kind === 'modify' ? editor : first.current)?.focus();
  }, [kind]);

  const lacksReason = needsReason(kind) && reason.trim() === '';
  const send = () => {
    setTried(true);
    if (lacksReason) first.current?.focus(); // and not on the button, where letters are shortcuts
    if (lacksReason || (kind === 'modify' && editing.problem !== undefined)) return;
    void sending.send(() => requests.decide(request.id, verdictOf(kind, reason, editing.value)));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onBack();
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send();
  };
  const { title } = VERDICTS.find((one) => one.kind === kind) ?? { title: kind };
  return (
    <form
      ref={form}
      class="verdict-form"
      noValidate
      onKeyDown={onKeyDown}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {kind === 'modify' ? <ArgumentsEditor editing={editing} tried={tried} /> : null}
      <label class="label" for={id}>
        Reason {needsReason(kind) ? '(required, sent to the run)' : '(optional)'}
      </label>
      <textarea
        id={id}
        ref={first}
        class="field"
        rows={2}
        value={reason}
        aria-required={needsReason(kind)}
        aria-invalid={tried && lacksReason}
        onInput={(event) => setReason(event.currentTarget.value)}
      />
      {tried && lacksReason ? (
        <p class="field-problem" role="alert">
          Enter a reason to {kind}. It is sent to the run.
        </p>
      ) : null}
      <div class="actions">
        <button type="submit" class="button primary" disabled={sending.busy}>
          {sending.busy ? 'Sending…' : `${title} now`}
        </button>
        <button type="button" class="button" onClick={onBack}>
          Back
        </button>
        <span class="quiet">
          <KeyHint keys="Ctrl Enter" /> sends
        </span>
      </div>
      <SendingNotes sending={sending} />
    </form>
  );
}

function verdictOf(kind: Kind, reason: string, value: unknown): Verdict {
  const said = reason.trim();
  const withReason = said === '' ? {} : { reason: said };
  switch (kind) {
    case 'approve':
      return { verdict: 'approve', ...withReason };
    case 'modify':
      return { verdict: 'modify', value, ...withReason };
    case 'reject':
    case 'escalate':
      return { verdict: kind, reason: said };
  }
}
