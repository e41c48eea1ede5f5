import type { Entry } from '../../../flyball/src/core/events.js';

/** The journal as the page has it, one entry a line: what a program reads without holding all of it. */
export function journalText(entries: readonly Entry[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
}

/** A name that every file system takes. */
export function fileNameFor(runId: string): string {
  return `${runId.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[.-]+/, '') || 'run'}.jsonl`;
}

export function saveJournal(runId: string, entries: readonly Entry[]): void {
  const address = URL.createObjectURL(new Blob([journalText(entries)], { type: 'application/x-ndjson' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = fileNameFor(runId);
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000); // the browser may still be reading it
}
