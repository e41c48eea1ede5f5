import { ConfigError } from '../../../core/errors.js';

interface SecretShape {
  readonly id: string;
  readonly pattern: RegExp;
  /** Found wherever the pattern matches, also in text that JSON has escaped: what a quick look searches for. */
  readonly hint: string;
}

/** Every quantifier is bounded: these run over text of strangers. */
const SHAPES: readonly SecretShape[] = [
  {
    id: 'private-key',
    // its body ends where the next line of dashes begins, so that each character is looked at once
    pattern:
      /-----BEGIN (?:[A-Z]{1,12} ){0,3}PRIVATE KEY-----(?:[^-]|-(?!----)){0,20000}(?:-----END [A-Z ]{1,50}-----)?/g,
    hint: '-----BEGIN ',
  },
  { id: 'aws-key', pattern: /\b(?:AKIA|ASIA|AGPA|AIDA|AROA)[A-Z0-9]{16}\b/g, hint: 'A(?:KI|SI|GP|ID|RO)A[A-Z0-9]{16}' },
  {
    id: 'github-token',
    pattern: /\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})\b/g,
    hint: 'gh[pousr]_[A-Za-z0-9]{36}|github_pat_',
  },
  { id: 'flyball-key', pattern: /\bfb_[a-z0-9]{8}_[A-Za-z0-9_-]{43}/g, hint: 'fb_[a-z0-9]{8}_[A-Za-z0-9_-]{43}' },
  { id: 'gitlab-token', pattern: /\bglpat-[A-Za-z0-9_-]{20,64}/g, hint: 'glpat-' },
  { id: 'slack-token', pattern: /\bxox[abeoprs]-[A-Za-z0-9-]{10,250}/g, hint: 'xox[abeoprs]-' },
  { id: 'payment-key', pattern: /\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,250}/g, hint: '[rs]k_(?:live|test)_' },
  { id: 'google-key', pattern: /\bAIza[A-Za-z0-9_-]{35}/g, hint: 'AIza' },
  { id: 'npm-token', pattern: /\bnpm_[A-Za-z0-9]{36}\b/g, hint: 'npm_[A-Za-z0-9]{36}' },
  { id: 'model-key', pattern: /\bsk-[A-Za-z0-9_-]{20,250}/g, hint: 'sk-[A-Za-z0-9_-]{20}' },
  {
    id: 'json-web-token',
    // it may follow a word and a dash, and then begins near the start of that row of characters: each row is read a few
    // times, and not again from every `eyJ` in it
    pattern:
      /(?<=(?<![A-Za-z0-9_-])(?:[A-Za-z0-9_-]{0,32}-)?)eyJ[A-Za-z0-9_-]{10,2000}\.eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{10,1000}/g,
    hint: 'eyJ[A-Za-z0-9_-]{10}',
  },
  {
    id: 'password-in-address',
    pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@]{1,128}:[^\s:/@]{3,256}@/gi,
    hint: ':\\/\\/[^\\s:/@]{1,800}:[^\\s:/@]{3,1600}@',
  },
];

/** Shorter ones would take ordinary words out. */
const SHORTEST_KNOWN = 8;

export function requireKnownSecrets(known: readonly string[]): void {
  if (known.some((secret) => secret.length < SHORTEST_KNOWN))
    throw new ConfigError(`A known secret has at least ${SHORTEST_KNOWN} characters: a shorter one would match words.`);
}

/** Which kinds of secret a text holds, by shape or because they are known. */
export function secretsIn(text: string, known: readonly string[]): readonly string[] {
  return [
    ...SHAPES.filter(({ pattern }) => text.search(pattern) !== -1).map(({ id }) => id),
    ...(known.some((secret) => text.includes(secret)) ? ['known-secret'] : []),
  ];
}

/** The text with every secret replaced by what it was. */
export function redactSecrets(text: string, known: readonly string[]): string {
  const plain = SHAPES.reduce((left, { id, pattern }) => left.replace(pattern, `[${id} removed]`), text);
  return known.reduce((left, secret) => left.replaceAll(secret, '[secret removed]'), plain);
}

/**
 * A quick look at JSON: false when no string in it holds a secret, in one pass over the text as it stands. Almost all
 * texts end here, so that looking costs a fraction of writing them.
 */
export function secretSpotter(known: readonly string[]): (json: string) => boolean {
  const hints = new RegExp(SHAPES.map(({ hint }) => hint).join('|'));
  const escaped = known.map((secret) => JSON.stringify(secret).slice(1, -1));
  return (json) => hints.test(json) || escaped.some((secret) => json.includes(secret));
}

/** JSON without secrets in its strings, field names included; the same text where there are none. */
export function jsonWithoutSecrets(known: readonly string[]): (json: string) => string {
  requireKnownSecrets(known);
  const spots = secretSpotter(known);
  const redacted = (value: unknown): unknown => {
    if (typeof value === 'string') return redactSecrets(value, known);
    if (Array.isArray(value)) return value.map(redacted);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => [redactSecrets(name, known), redacted(part)]),
    );
  };
  return (json) => (spots(json) ? JSON.stringify(redacted(JSON.parse(json))) : json);
}
