import type { ComponentChildren } from 'preact';
import type { RunStatus } from '../api/types.js';
import { STATUS_WORDS } from './status-words.js';
import type { Tone } from './tone.js';

export function Badge({
  tone,
  children,
  title,
}: {
  readonly tone: Tone;
  readonly children: ComponentChildren;
  readonly title?: string;
}) {
  return (
    <span class={`badge ${tone}`} {...(title === undefined ? {} : { title })}>
      {children}
    </span>
  );
}

export function StatusBadge({ status }: { readonly status: RunStatus }) {
  const { text, tone } = STATUS_WORDS[status] ?? { text: status, tone: 'idle' as const };
  return (
    <span class={`badge status ${tone}`} data-status={status}>
      <span class="dot" aria-hidden="true" />
      {text}
    </span>
  );
}
