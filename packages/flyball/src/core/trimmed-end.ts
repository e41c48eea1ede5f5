/**
 * The text without any of these characters at its end. A pattern such as `/=+$/` begins anew at each of them wherever they
 * stand, so that a long row of them in the middle takes the square of its length.
 */
export function trimmedEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
