import { describePart, isMediaPart, isParts, textOf } from '../core/parts.js';

/** A value as a model reads it. What is not text is named: its bytes as text would fill a window and show nobody anything. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return value;
  if (isParts(value)) return textOf(value);
  return (
    JSON.stringify(value, (_key, part: unknown) => (isMediaPart(part) ? `[${describePart(part)}]` : part), 2) ?? ''
  );
}
