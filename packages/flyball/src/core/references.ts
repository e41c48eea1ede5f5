/**
 * What an encoded body may refer to: contents and tips of prompt chains, whose ids are 22 characters of base64url. Text
 * that only looks like one is named too: what is kept for it was kept for nothing, and nothing is lost.
 */
export function possibleReferences(body: string): Iterable<string> {
  return matches(body);
}

function* matches(body: string): Generator<string> {
  for (const match of body.matchAll(/(?:"|\\u0000b)([\w-]{22})(?=")/g)) yield match[1] ?? '';
}
