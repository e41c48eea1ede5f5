import type { RunStatus } from '../api/types.js';
import type { Tone } from './tone.js';

/** What a status is called everywhere: in badges, filters, titles, and in what a search looks through. */
export const STATUS_WORDS: Readonly<Record<RunStatus, { readonly text: string; readonly tone: Tone }>> = {
  running: { text: 'Running', tone: 'busy' },
  suspended: { text: 'Waiting', tone: 'warn' },
  paused: { text: 'Paused', tone: 'warn' },
  pending: { text: 'Pending', tone: 'idle' },
  stalled: { text: 'Stalled', tone: 'bad' },
  done: { text: 'Done', tone: 'good' },
  degraded: { text: 'Degraded', tone: 'warn' },
  bounded: { text: 'Bounded', tone: 'warn' },
  blocked: { text: 'Blocked', tone: 'bad' },
  failed: { text: 'Failed', tone: 'bad' },
  cancelled: { text: 'Cancelled', tone: 'idle' },
};

export function statusText(status: RunStatus): string {
  return STATUS_WORDS[status]?.text ?? status;
}
