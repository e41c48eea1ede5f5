import type { ComponentChildren } from 'preact';
import type { RunStatus } from '../api/types.js';

export type Tone = 'good' | 'warn' | 'bad' | 'busy' | 'idle';

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

const STATUSES: Readonly<Record<RunStatus, { readonly text: string; readonly tone: Tone }>> = {
  pending: { text: 'Pending', tone: 'idle' },
  running: { text: 'Running', tone: 'busy' },
  suspended: { text: 'Waiting', tone: 'warn' },
  paused: { text: 'Paused', tone: 'warn' },
  stalled: { text: 'Stalled', tone: 'bad' },
  done: { text: 'Done', tone: 'good' },
  degraded: { text: 'Degraded', tone: 'warn' },
  bounded: { text: 'Bounded', tone: 'warn' },
  blocked: { text: 'Blocked', tone: 'bad' },
  cancelled: { text: 'Cancelled', tone: 'idle' },
  failed: { text: 'Failed', tone: 'bad' },
};

export function StatusBadge({ status }: { readonly status: RunStatus }) {
  const { text, tone } = STATUSES[status] ?? { text: status, tone: 'idle' };
  return (
    <span class={`badge status ${tone}`} data-status={status}>
      <span class="dot" aria-hidden="true" />
      {text}
    </span>
  );
}
