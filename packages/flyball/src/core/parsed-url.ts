/**
 * The address that a text is, or undefined where it is none. Not `URL.canParse`: on Node 20 and 22 that one says no to
 * every host with letters outside of ASCII once it was called some thousand times.
 */
export function parsedUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
