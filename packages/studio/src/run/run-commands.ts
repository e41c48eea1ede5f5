import type { RunStatus } from '../api/types.js';

export type Command = 'pause' | 'resume' | 'redirect' | 'signal' | 'cancel';

/** What can be asked of a run in this state; the server decides in the end. */
export function commandsFor(status: RunStatus | undefined): readonly Command[] {
  switch (status) {
    case 'pending':
    case 'running':
      return ['pause', 'redirect', 'signal', 'cancel'];
    case 'suspended':
      return ['pause', 'redirect', 'signal', 'cancel'];
    case 'paused':
      return ['resume', 'redirect', 'cancel'];
    case 'stalled':
      return ['resume', 'cancel'];
    case 'bounded':
      return ['resume'];
    default:
      return []; // it has ended for good
  }
}

/** A value that somebody typed: JSON where it is JSON, else the text itself. */
export function payloadFrom(text: string): unknown {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  try {
    return JSON.parse(trimmed);
  } catch {
    return text; // plain words are a value too
  }
}
