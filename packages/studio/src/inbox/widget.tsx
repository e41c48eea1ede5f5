import type { JsonSchema } from '../../../flyball/src/core/schema.js';
import type { Sending } from './sending.js';

export type Details = Readonly<Record<string, unknown>>;

export interface WidgetProps {
  readonly details: Details;
  readonly schema: JsonSchema | undefined;
  readonly sending: Sending;
  readonly onAnswer: (value: unknown) => void;
}

export function Problem({ text }: { readonly text: string }) {
  return (
    <p class="field-problem" role="alert">
      {text}
    </p>
  );
}

export function Send({
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
