import { ConfigError } from '../../../core/errors.js';
import type { GuardAt } from './guard-points.js';
import { textGuard } from './text-guard.js';

const SHORTEST = 8;

/** Stops calls and answers that contain a canary: a word that occurs only in the system prompt or in private data. */
export function canaryGuard<P extends 'preCall' | 'output'>(
  at: P,
  { canaries }: { readonly canaries: readonly string[] },
): GuardAt[P] {
  const leaks = canaryFinder(canaries);
  return textGuard(
    {
      name: 'canary',
      find: (texts) =>
        leaks(texts) ? { ruleId: 'canary.leak', evidence: 'it holds a word that must not leave this run' } : undefined,
    },
    at,
  );
}

/** Shorter pieces of a canary occur by chance. */
const SHORTEST_PIECE = 3;

/**
 * Finds canaries also when they are split up, over several texts too, reversed, or written in hex, base64 or percent
 * escapes.
 */
export function canaryFinder(canaries: readonly string[]): (texts: readonly string[]) => boolean {
  if (canaries.length === 0 || canaries.some((canary) => letters(canary).length < SHORTEST))
    throw new ConfigError(`A canary has at least ${SHORTEST} letters or digits, so that it cannot occur by chance.`);
  const plain = canaries.flatMap((canary) => spellings(canary));
  const coded = canaries.flatMap((canary) => base64Cores(canary));
  return (texts) => {
    const read = texts.map((text) => letters(decoded(text)));
    const whole = [...texts.map(letters), ...read, read.join('')];
    return (
      plain.some((form) => whole.some((each) => each.includes(form)) || isInPieces(form, read)) ||
      coded.some((form) => texts.some((text) => text.includes(form)))
    );
  };
}

/** Whether the ends of some texts, put side by side in any order, spell it out. */
function isInPieces(form: string, texts: readonly string[]): boolean {
  const long = texts.filter((text) => text.length >= SHORTEST_PIECE);
  const places = Array.from({ length: form.length }, (_, place) => place).slice(SHORTEST_PIECE);
  const reached = new Set(places.filter((place) => long.some((text) => text.endsWith(form.slice(0, place)))));
  for (const place of reached) {
    const rest = form.slice(place);
    if (rest.length >= SHORTEST_PIECE && long.some((text) => text.startsWith(rest))) return true;
    for (const text of long) if (rest.startsWith(text) && text !== rest) reached.add(place + text.length);
  }
  return false;
}

function spellings(canary: string): readonly string[] {
  const bare = letters(canary);
  return [bare, [...bare].reverse().join(''), Buffer.from(canary, 'utf8').toString('hex')];
}

function letters(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

function decoded(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) =>
    Buffer.from(escapes.replaceAll('%', ''), 'hex').toString('utf8'),
  );
}

/** Base64 depends on what stands before: the part that is the same for each of the three offsets. */
function base64Cores(canary: string): readonly string[] {
  const bytes = Buffer.from(canary, 'utf8');
  return [0, 1, 2].flatMap((offset) => {
    const coded = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const core = coded.slice(offset === 0 ? 0 : offset + 1, (offset + bytes.length) % 3 === 0 ? undefined : -1);
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
