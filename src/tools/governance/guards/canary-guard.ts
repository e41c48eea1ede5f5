import { ConfigError } from '../../../core/errors.js';
import type { GuardAt } from './guard-points.js';
import { textGuard } from './text-guard.js';

const SHORTEST = 8;

/**
 * A canary is a word planted where only an agent can see it, in its setup or among private data. In the arguments of a
 * call or in an answer it proves that something is being carried out, so both are stopped, not cleaned.
 */
export function canaryGuard<P extends 'preCall' | 'output'>(
  at: P,
  { canaries }: { readonly canaries: readonly string[] },
): GuardAt[P] {
  const leaks = canaryFinder(canaries);
  return textGuard(
    {
      name: 'canary',
      find: (texts) =>
        texts.some(leaks)
          ? { ruleId: 'canary.leak', evidence: 'it holds a word that must not leave this run' }
          : undefined,
    },
    at,
  );
}

/** Finds canaries also when they are split up, reversed, or written in hex, base64 or percent escapes. */
export function canaryFinder(canaries: readonly string[]): (text: string) => boolean {
  if (canaries.length === 0 || canaries.some((canary) => letters(canary).length < SHORTEST))
    throw new ConfigError(`A canary has at least ${SHORTEST} letters or digits, so that it cannot occur by chance.`);
  const plain = canaries.flatMap((canary) => spellings(canary));
  const coded = canaries.flatMap((canary) => base64Cores(canary));
  return (text) => {
    const read = [text, decoded(text)].map(letters);
    return read.some((each) => plain.some((form) => each.includes(form))) || coded.some((form) => text.includes(form));
  };
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
