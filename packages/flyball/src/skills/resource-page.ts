import { FlyballError } from '../core/errors.js';

/** A part of a file as a model reads it. */
export interface ResourcePage {
  readonly skill: string;
  readonly path: string;
  readonly text: string;
  /** Counted in UTF-16 units, as everything about texts here. */
  readonly offset: number;
  readonly total: number;
  /** Where the next page begins; absent at the end. */
  readonly next?: number;
}

export function pageOf(of: {
  readonly skill: string;
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly offset: number;
  readonly pageChars: number;
  readonly maxBytes: number;
}): ResourcePage {
  const { skill, path, bytes, offset, pageChars, maxBytes } = of;
  // it may have grown since it was listed
  if (bytes.length > maxBytes) throw refused(`${path} has ${bytes.length} bytes, and at most ${maxBytes} are read.`);
  const whole = textIn(path, bytes);
  if (offset > whole.length) throw refused(`${path} has ${whole.length} characters: offset ${offset} is past its end.`);
  const text = whole.slice(offset, endOfPage(whole, offset + pageChars));
  const next = offset + text.length;
  return { skill, path, text, offset, total: whole.length, ...(next < whole.length ? { next } : {}) };
}

/** Two halves of one sign stay together. */
function endOfPage(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return end < text.length && last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}

function textIn(path: string, bytes: Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!text.includes('\u0000')) return text;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error; // the decoder's word for bytes that are no UTF-8
  }
  throw refused(
    `${path} is not text: it contains ${bytes.length} bytes that cannot be shown. Use another tool for it.`,
  );
}

function refused(message: string): FlyballError {
  return new FlyballError('INPUT_INVALID', message);
}
