import { FlyballError } from '../core/errors.js';
import { linesOf } from './files-text.js';

/** A replacement of text in a file. */
export interface Edit {
  readonly old: string;
  readonly new: string;
  /** How often `old` occurs, and is replaced everywhere. Once where it is absent. */
  readonly occurrences?: number;
}

/** Applies edits one after the other, each to what the one before left. All or none: a wrong one throws. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  return edits.reduce((current, edit, index) => applyEdit(current, edit, edits.length > 1 ? index + 1 : 0), text);
}

function applyEdit(text: string, edit: Edit, nth: number): string {
  const which = nth === 0 ? 'The text to replace' : `Edit ${nth}: the text to replace`;
  if (edit.old === '') throw wrong(`${which} is empty. Give some lines of the file, or use write_file.`);
  if (edit.old === edit.new) throw wrong(`${which} and its replacement are the same.`);
  const { old, fresh } = inLineBreaksOf(text, edit);
  const places = placesOf(text, old);
  const wanted = edit.occurrences ?? 1;
  if (places.length === 0) throw wrong(`${which} does not occur in the file.${nearMiss(text, old)}`);
  if (places.length !== wanted) {
    const lines = places.slice(0, 10).map((place) => lineAt(text, place));
    throw wrong(
      `${which} occurs ${places.length} times (lines ${lines.join(', ')}${places.length > 10 ? ', …' : ''}), not ${wanted}. ` +
        `Add surrounding lines to make it unique, or set occurrences to ${places.length}. Nothing was changed.`,
    );
  }
  return text.split(old).join(fresh);
}

/** Models write \n; a file with \r\n throughout keeps them. */
function inLineBreaksOf(text: string, edit: Edit): { readonly old: string; readonly fresh: string } {
  const isCrLf = text.includes('\r\n') && !edit.old.includes('\r') && !/(?<!\r)\n/.test(text);
  if (!isCrLf) return { old: edit.old, fresh: edit.new };
  return { old: edit.old.replaceAll('\n', '\r\n'), fresh: edit.new.replace(/\r?\n/g, '\r\n') };
}

function placesOf(text: string, part: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) places.push(at);
  return places;
}

function lineAt(text: string, place: number): number {
  return text.slice(0, place).split('\n').length;
}

/** The most common slip is wrong white space: says where the same text stands with another one. */
function nearMiss(text: string, old: string): string {
  const wanted = linesOf(old).map((line) => line.trim());
  const lines = linesOf(text).map((line) => line.trim());
  const first = wanted[0] ?? '';
  for (let at = lines.indexOf(first); at >= 0; at = lines.indexOf(first, at + 1)) {
    if (wanted.every((line, offset) => lines[at + offset] === line))
      return ` The same text with other white space is at line ${at + 1}: copy it exactly.`;
  }
  return ' Read the file again and copy the text exactly.';
}

function wrong(message: string): FlyballError {
  return new FlyballError('EFFECT_FAILED', message);
}
