import { ConfigError } from '../../../core/errors.js';
import type { GuardAt, GuardPoint } from './guard-points.js';
import { textGuard } from './text-guard.js';

/** Every quantifier is bounded: these run over text of strangers. */
const PATTERNS: readonly { readonly id: string; readonly pattern: RegExp }[] = [
  {
    id: 'private-key',
    // its body ends where the next line of dashes begins, so that each character is looked at once
    pattern:
      /-----BEGIN (?:[A-Z]{1,12} ){0,3}PRIVATE KEY-----(?:[^-]|-(?!----)){0,20000}(?:-----END [A-Z ]{1,50}-----)?/g,
  },
  { id: 'aws-key', pattern: /\b(?:AKIA|ASIA|AGPA|AIDA|AROA)[A-Z0-9]{16}\b/g },
  { id: 'github-token', pattern: /\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})\b/g },
  { id: 'gitlab-token', pattern: /\bglpat-[A-Za-z0-9_-]{20,64}/g },
  { id: 'slack-token', pattern: /\bxox[abeoprs]-[A-Za-z0-9-]{10,250}/g },
  { id: 'payment-key', pattern: /\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,250}/g },
  { id: 'google-key', pattern: /\bAIza[A-Za-z0-9_-]{35}/g },
  { id: 'npm-token', pattern: /\bnpm_[A-Za-z0-9]{36}\b/g },
  { id: 'model-key', pattern: /\bsk-[A-Za-z0-9_-]{20,250}/g },
  { id: 'json-web-token', pattern: /\beyJ[A-Za-z0-9_-]{10,2000}\.eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{10,1000}/g },
  { id: 'password-in-address', pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@]{1,128}:[^\s:/@]{3,256}@/gi },
];

/** Shorter ones would take ordinary words out. */
const SHORTEST_KNOWN = 8;

/** Finds keys and tokens by their shape, and the given ones by their value. Calls with one are denied, texts redacted. */
export function secretsGuard<P extends GuardPoint>(
  at: P,
  options: { readonly known?: readonly string[] } = {},
): GuardAt[P] {
  const known = options.known ?? [];
  if (known.some((secret) => secret.length < SHORTEST_KNOWN))
    throw new ConfigError(`A known secret has at least ${SHORTEST_KNOWN} characters: a shorter one would match words.`);
  const idsIn = (text: string): readonly string[] => [
    ...PATTERNS.filter(({ pattern }) => text.search(pattern) !== -1).map(({ id }) => id),
    ...(known.some((secret) => text.includes(secret)) ? ['known-secret'] : []),
  ];
  return textGuard(
    {
      name: 'secrets',
      find(texts) {
        const ids = [...new Set(texts.flatMap(idsIn))];
        return ids.length === 0
          ? undefined
          : { ruleId: `secrets.${ids[0]}`, evidence: `it holds a secret (${ids.join(', ')})` };
      },
      redact(text) {
        const plain = PATTERNS.reduce((left, { id, pattern }) => left.replace(pattern, `[${id} removed]`), text);
        return known.reduce((left, secret) => left.replaceAll(secret, '[secret removed]'), plain);
      },
    },
    at,
  );
}
