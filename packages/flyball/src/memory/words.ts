/**
 * Without line breaks and invisible characters. Code points that are not assigned yet stay: which ones those are differs
 * between versions of Node, and a prompt must be the same under all of them.
 */
export function flat(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\s]+/gu, ' ').trim();
}

/** One line, short enough for a list; what was cut is marked. */
export function oneLine(text: string, length: number): string {
  const line = flat(text);
  const characters = Array.from(line); // never half of a surrogate pair
  return characters.length <= length
    ? line
    : `${characters
        .slice(0, length - 1)
        .join('')
        .trimEnd()}…`;
}
