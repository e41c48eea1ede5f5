import { ConfigError } from '../../../core/errors.js';
import type { GuardAt, GuardPoint } from './guard-points.js';
import { textGuard } from './text-guard.js';

/**
 * More than `maxCharacters` of text do not cross. A result is cut in the middle, because its start and its end usually
 * say most; an input, a call or an answer that was cut could mean something else, so those are blocked.
 */
export function sizeGuard<P extends GuardPoint>(
  at: P,
  { maxCharacters }: { readonly maxCharacters: number },
): GuardAt[P] {
  if (!(Number.isInteger(maxCharacters) && maxCharacters >= 100))
    throw new ConfigError(
      `sizeGuard: maxCharacters must be a whole number of at least 100, got ${String(maxCharacters)}.`,
    );
  return textGuard(
    {
      name: 'size',
      find(texts) {
        const longest = texts.reduce((most, text) => Math.max(most, text.length), 0);
        const total = texts.reduce((sum, text) => sum + text.length, 0);
        const size = at === 'response' ? longest : total;
        if (size <= maxCharacters) return undefined;
        return { ruleId: 'size.characters', evidence: `it has ${size} characters, and ${maxCharacters} is the most` };
      },
      ...(at === 'response' ? { redact: (text) => cut(text, maxCharacters) } : {}),
    },
    at,
  );
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const notice = `\n[… ${text.length} characters in all; the middle was left out …]\n`;
  const room = Math.max(0, most - notice.length);
  const head = text.slice(0, Math.ceil(room * 0.7));
  return `${whole(head)}${notice}${whole(text.slice(text.length - Math.floor(room * 0.3)))}`;
}

/** Half of a surrogate pair is no text. */
function whole(text: string): string {
  return text.replace(/[\ud800-\udbff]$|^[\udc00-\udfff]/g, '');
}
