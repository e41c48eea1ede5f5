import { ConfigError } from '../../../core/errors.js';

interface SecretShape {
  readonly id: string;
  readonly pattern: RegExp;
  /** Found wherever the pattern matches, also in text that JSON has escaped: what a quick look searches for. */
  readonly hint: string;
}

/** How a terminal is told a color: as the character itself, and as others write it. */
const COLOR = String.raw`(?:(?:\u001b|\\u001[bB]|\\x1[bB]|\\e|\\0?33|\^\[)\[|\u009b)[\d;:?]{0,24}[A-Za-z]`;
/** Of JSON, and of code. */
const BACKSLASH = String.raw`\\(?:[0abefnrtv]|u[\da-fA-F]{4}|U[\da-fA-F]{8}|x[\da-fA-F]{2}|[0-7]{3})`;
/** Of addresses and mail: only what decodes to no letter or digit, because words hold percent signs too. */
const PERCENT = String.raw`%(?:25)?(?:0[9adAD]|2[\da-fA-F]|3[a-fA-F]|40|5[b-fB-F]|60|7[b-eB-E])|=(?:3D|0A|20)`;

/** What stands before a secret may be a character in an escaped form, which ends in a letter or digit. */
const ESCAPE = `(?<=${BACKSLASH}|${PERCENT}|${COLOR})`;
const START = `(?:(?<![A-Za-z0-9_])|${ESCAPE})`;

/** Where a secret begins with letters of any word, and an escape before it is to be left whole. */
const WORD_START = String.raw`(?:(?<![A-Za-z0-9_\\])|(?<=\\)(?![0-7abefnrtuUvx])|${ESCAPE})`;

/** What it begins with is looked for first: to look at what stands before takes ten times as long. */
function shape(begins: string, rest: string, before = START): RegExp {
  return new RegExp(`${begins}(?<=${before}${begins})${rest}`, 'g');
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
  {
    id: 'aws-key',
    pattern: shape('A(?:KI|SI|GP|ID|RO)A', '[A-Z0-9]{16}\\b'),
    hint: 'A(?:KI|SI|GP|ID|RO)A[A-Z0-9]{16}',
  },
  { id: 'github-token', pattern: shape('gh[pousr]_', '[A-Za-z0-9]{36,255}\\b'), hint: 'gh[pousr]_[A-Za-z0-9]{36}' },
  { id: 'github-token', pattern: shape('github_pat_', '[A-Za-z0-9_]{22,255}\\b'), hint: 'github_pat_' },
  {
    id: 'flyball-key',
    pattern: shape('fb_', '[a-z0-9]{8}_[A-Za-z0-9_-]{43}'),
    hint: 'fb_[a-z0-9]{8}_[A-Za-z0-9_-]{43}',
  },
  { id: 'gitlab-token', pattern: shape('glpat-', '[A-Za-z0-9_-]{20,64}'), hint: 'glpat-' },
  { id: 'slack-token', pattern: shape('xox[abeoprs]-', '[A-Za-z0-9-]{10,250}'), hint: 'xox[abeoprs]-' },
  { id: 'payment-key', pattern: shape('[rs]k_(?:live|test)_', '[A-Za-z0-9]{16,250}'), hint: '[rs]k_(?:live|test)_' },
  { id: 'google-key', pattern: shape('AIza', '[A-Za-z0-9_-]{35}'), hint: 'AIza' },
  { id: 'npm-token', pattern: shape('npm_', '[A-Za-z0-9]{36}\\b'), hint: 'npm_[A-Za-z0-9]{36}' },
  { id: 'model-key', pattern: shape('sk-', '[A-Za-z0-9_-]{20,250}'), hint: 'sk-[A-Za-z0-9_-]{20}' },
  {
    id: 'json-web-token',
    // it may follow a word and a dash, and then begins near the start of that row of characters: each row is read a few
    // times, and not again from every `eyJ` in it
    pattern: shape(
      'eyJ',
      String.raw`[A-Za-z0-9_-]{10,2000}\.eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{10,1000}`,
      `(?:(?<=(?<![A-Za-z0-9_-])(?:[A-Za-z0-9_-]{0,32}-)?)|${ESCAPE})`,
    ),
    hint: 'eyJ[A-Za-z0-9_-]{10}',
  },
  {
    id: 'password-in-address',
    // many have no user name: redis://:password@host. A user name has no quotes: JSON with an address and a mail address
    // has both of its signs
    pattern: new RegExp(
      String.raw`${WORD_START}[a-z][a-z0-9+.-]{1,20}:(?:\/\/|\\\/\\\/)[^\s:/@"'<>,;{}\\]{0,128}:[^\s:/@]{3,256}@`,
      'gi',
    ),
    hint: String.raw`:(?:\/\/|\\{1,2}\/\\{1,2}\/)[^\s:/@]{0,800}:[^\s:/@]{3,1600}@`,
  },
  {
    id: 'password-in-address',
    pattern: new RegExp(
      String.raw`${WORD_START}[a-z][a-z0-9+.-]{1,20}%3A%2F%2F[^\s:/@"'<>,;{}\\]{0,128}?%3A[^\s:/@]{3,256}?%40`,
      'gi',
    ),
    hint: '%3[aA]%2[fF]%2[fF]',
  },
];

/** Shorter ones would take ordinary words out. */
const SHORTEST_KNOWN = 8;

export function requireKnownSecrets(known: readonly string[]): void {
  if (known.some((secret) => secret.length < SHORTEST_KNOWN))
    throw new ConfigError(`A known secret has at least ${SHORTEST_KNOWN} characters: a shorter one would match words.`);
}

/** A secret as it stands in text, in JSON, in JSON in JSON, and in addresses. Longest first: one may be part of another. */
export function secretForms(known: readonly string[]): readonly string[] {
  const forms = known.flatMap((secret) => {
    const once = escaped(secret);
    // half a pair of a character cannot stand in an address
    return [
      secret,
      once,
      escaped(once),
      once.replaceAll('/', '\\/'),
      ...(/\p{Surrogate}/u.test(secret) ? [] : inAddresses(secret)),
    ];
  });
  return [...new Set(forms)].sort((one, other) => other.length - one.length);
}

function inAddresses(secret: string): readonly string[] {
  const whole = encodeURIComponent(secret);
  const forms = [whole, encodeURI(secret), whole.replaceAll('%20', '+')];
  return forms.flatMap((form) => [form, form.replaceAll(/%../g, (one) => one.toLowerCase())]);
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

const HINTS = new RegExp(SHAPES.map(({ hint }) => hint).join('|'));

/** Which kinds of secret a text holds, by shape or because they are known. */
export function secretsIn(text: string, known: readonly string[]): readonly string[] {
  const shapes = HINTS.test(text) ? SHAPES.filter(({ pattern }) => text.search(pattern) !== -1) : [];
  const isKnown = secretForms(known).some((form) => text.includes(form));
  return [...shapes.map(({ id }) => id), ...(isKnown ? ['known-secret'] : [])];
}

/** The text with every secret replaced by what it was. */
export function redactSecrets(text: string, known: readonly string[]): string {
  return redactor(known)(text);
}

function redactor(known: readonly string[]): (text: string) => string {
  const forms = secretForms(known);
  return (text) => {
    const plain = HINTS.test(text)
      ? SHAPES.reduce((left, { id, pattern }) => left.replace(pattern, `[${id} removed]`), text)
      : text;
    return forms.reduce((left, form) => left.replaceAll(form, '[secret removed]'), plain);
  };
}

/**
 * A quick look at JSON: false when no string in it holds a secret, in one pass over the text as it stands. Almost all
 * texts end here, so that looking costs a fraction of writing them.
 */
export function secretSpotter(known: readonly string[]): (json: string) => boolean {
  const forms = secretForms(known).map(escaped);
  return (json) => HINTS.test(json) || forms.some((form) => json.includes(form));
}

/** JSON without secrets in its strings and numbers, field names included; the same text where there are none. */
export function jsonWithoutSecrets(known: readonly string[]): (json: string) => string {
  requireKnownSecrets(known);
  const spots = secretSpotter(known);
  const redact = redactor(known);
  const redacted = (value: unknown): unknown => {
    if (typeof value === 'string') return redact(value);
    if (typeof value === 'number') return known.includes(String(value)) ? redact(String(value)) : value;
    if (Array.isArray(value)) return value.map(redacted);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [redact(name), redacted(part)]));
  };
  return (json) => (spots(json) ? JSON.stringify(redacted(JSON.parse(json))) : json);
}
