import type { Question } from './python-process.js';

/** A seeded stream of numbers, so that a failing question can be asked again. */
export function stream(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Random = ReturnType<typeof stream>;

function pick<T>(random: Random, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T;
}

const EDGES = [0, -0, 0.5, 1.5, 2.5, 0.125, 2.675, 1e15, 1e16, 123456789012345680, 1e22, 5e-324, 1.7976931348623157e308]
  .concat([1e-4, 9.999e-5, 0.00001, 1e21, 33, 100, 0.1 + 0.2, 2 ** 52 + 0.5, 1e100, 999999.995, 0.005, 1.005])
  .flatMap((value) => [value, -value]);
const bytes = new DataView(new ArrayBuffer(8));

function anyFloat(random: Random): string {
  const kind = random();
  if (kind < 0.1) return pick(random, ['inf', '-inf', 'nan']);
  if (kind < 0.3) return textOf(pick(random, EDGES));
  if (kind < 0.5) return textOf(Math.round(random() * 1e6) / pick(random, [1, 8, 100, 1000, 64]));
  for (let i = 0; i < 2; i += 1) bytes.setUint32(i * 4, Math.floor(random() * 2 ** 32));
  return textOf(bytes.getFloat64(0));
}

function textOf(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  return Object.is(value, -0) ? '-0.0' : String(value);
}

/** Python's spelling of what is not finite, as JavaScript reads it. */
export function jsFloat(text: string): string {
  return text.replace('inf', 'Infinity').replace('nan', 'NaN');
}

export function numberQuestions(seed: number, count: number): Question[] {
  const random = stream(seed);
  return Array.from({ length: count }, () => {
    const x = jsFloat(anyFloat(random));
    const digits = Math.floor(random() * 8);
    return pick<Question>(random, [
      ['repr-float', x],
      ['fixed', x, digits],
      ['fixed', x, 2],
      ['round', x, digits - 3],
      ['thousands', x, pick(random, [null, 2, 0])],
      ['thousands-int', String(BigInt(Math.floor(random() * 1e15)) * pick(random, [1n, -1n, 10n ** 12n]))],
      ['format-fixed', anyJson(random, 1), 2],
      ['float', numeral(random)],
      ['int', numeral(random)],
      ['float', anyJson(random, 1)],
      ['int', anyJson(random, 1)],
      ['calculate', anyJson(random, 1), '-', anyJson(random, 1)],
      ['calculate', pick(random, NUMBERS), pick(random, ['-', '*']), pick(random, NUMBERS)],
      ['calculate', pick(random, UNSCALED), '*', pick(random, ['1.5', 'null', '{}', 'NaN'])],
      ['calculate', pick(random, ['1.5', 'null', '{}', 'NaN']), '*', pick(random, UNSCALED)],
      ['abs', anyJson(random, 1)],
    ]);
  });
}

const NUMERAL_PARTS = [
  '1',
  '23',
  '0',
  '_',
  '.',
  'e',
  'E',
  '-',
  '+',
  ' ',
  '\t',
  '\u00a0',
  '\u001c',
  '\u0661',
  '\u{1d7d9}',
]
  .concat(['inf', 'nan', 'Infinity', ',', '$', '0x10', '\u00b2', '\u2003', '007', '\ufeff', '\u0000'])
  .concat(['5', '6', '7', '89']);

function numeral(random: Random): string {
  const length = Math.floor(random() * 5);
  return JSON.stringify(Array.from({ length }, () => pick(random, NUMERAL_PARTS)).join(''));
}

const NUMBERS = [
  '0',
  '1',
  '-3',
  '1.0',
  '0.0',
  '-0.0',
  '2.5',
  'true',
  'false',
  '1e308',
  'NaN',
  'Infinity',
  '10000000000',
];
/** Text and lists cannot be multiplied by a float. */
const UNSCALED = ['"ab"', '[]', '[1]', '{}', 'null', '2', 'true'];
const SCALARS = [
  ...NUMBERS,
  'null',
  '""',
  '"a"',
  '"b\u00e9"',
  '"\u{1f600}"',
  '"\uff5e"',
  '"1"',
  '[]',
  '{}',
  '-Infinity',
];

function anyJson(random: Random, depth: number): string {
  if (depth === 0 || random() < 0.5) return pick(random, SCALARS);
  const items = Array.from({ length: Math.floor(random() * 4) }, () => anyJson(random, depth - 1));
  if (random() < 0.5) return `[${items.join(', ')}]`;
  return `{${items.map((item) => `${pick(random, ['"k"', '"a"', '"\uff5e"', '"\u{1f600}"', '"z"'])}: ${item}`).join(', ')}}`;
}

const JSON_PARTS = [
  '{',
  '}',
  '[',
  ']',
  ':',
  ',',
  '"',
  '"k"',
  '"a b"',
  '1',
  '-',
  '0',
  '.5',
  'e3',
  'E+',
  'null',
  'tru',
  'true',
]
  .concat([
    'NaN',
    '-Infinity',
    'Infinit',
    ' ',
    '\n',
    '\r\n',
    '\t',
    '\\',
    '\\u00e9',
    '\\ud83d',
    '\\ude00',
    '\\u12',
    '\\x',
    '\\n',
  ])
  .concat([
    '\u0001',
    '\u00e9',
    '\u{1f600}',
    '"v"',
    '{"k": ',
    '["',
    '"]',
    '12345678901234567890',
    '1.5',
    "'",
    '\ufeff',
    '\u00a0',
  ]);

function brokenJson(random: Random): string {
  if (random() < 0.5) {
    const length = 1 + Math.floor(random() * 9);
    return Array.from({ length }, () => pick(random, JSON_PARTS)).join('');
  }
  const chars = [...anyJson(random, 4)];
  const at = Math.floor(random() * chars.length);
  chars.splice(at, Math.floor(random() * 3), pick(random, JSON_PARTS));
  return chars.join('');
}

const LETTERS = [
  ...'aZ \'"\\\n\t\r\u0000\u001c\u007f\u0085\u00a0\u00ad\u00df\u00e9\u0130\u01c6\u03a3\u1f80\u1fb3\u2003\u200b\u2028',
].concat(
  [
    ...'\u0149\u1fb7\u1fbe\u1f52\u1fcc\u03b9\u0100\u0587\u10d0\u3000\ufb01\ufeff\uffff\u{1f600}\u{e000}o\u00b2\u0661\u24601x_-',
  ],
  ['\ud800', 'word', "'s"],
);

function anyText(random: Random): string {
  const length = Math.floor(random() * 8);
  return Array.from({ length }, () => pick(random, LETTERS)).join('');
}

export function textQuestions(seed: number, count: number): Question[] {
  const random = stream(seed);
  return Array.from({ length: count }, () => {
    const text = anyText(random);
    return pick<Question>(random, [
      ['repr', text],
      ['str', anyJson(random, 3)],
      ['title', text],
      ['isdigit', pick(random, [text, '12', '\u00b2', '\u0661', '\u2460', '\u00bd', ''])],
      ['split', text],
      ['strip', text],
      ['lower', text],
      ['len', text],
      ['loads', brokenJson(random)],
      ['loads', brokenJson(random)],
      ['loads', anyJson(random, 4)],
      ['loads-floats', brokenJson(random)],
      ['dumps', anyJson(random, 4), random() < 0.5, pick(random, [null, 2, 0])],
      ['dumps', JSON.stringify(text), false, null],
      ['equal', anyJson(random, 2), anyJson(random, 2)],
      ['truthy', anyJson(random, 1)],
      ['order', anyJson(random, 2), pick(random, ['<', '<=', '>', '>=']), anyJson(random, 2)],
    ]);
  });
}

const FORMATS = ['%m/%d/%Y', '%Y-%m-%d', '%Y-%m-%d %H:%M:%S'];
const DATE_PARTS = [
  '1',
  '2',
  '02',
  '29',
  '30',
  '31',
  '12',
  '13',
  '2024',
  '2025',
  '1900',
  '0000',
  '999',
  '/',
  '-',
  ' ',
  ':',
].concat(['00', '23', '24', '59', '60', '61', '\u0661', '\t', 'x']);

function anyDate(random: Random): string {
  if (random() < 0.3) return Array.from({ length: 5 }, () => pick(random, DATE_PARTS)).join('');
  const part = (digits: number, most: number): string =>
    String(Math.floor(random() * (most + 2))).padStart(random() < 0.7 ? digits : 1, '0');
  const year = String(1 + Math.floor(random() * 2999)).padStart(4, '0');
  const date = random() < 0.5 ? `${part(2, 12)}/${part(2, 31)}/${year}` : `${year}-${part(2, 12)}-${part(2, 31)}`;
  const time = random() < 0.4 ? `${pick(random, [' ', '  ', 'T'])}${part(2, 23)}:${part(2, 59)}:${part(2, 59)}` : '';
  return date + time + (random() < 0.1 ? pick(random, [' ', '\n', 'Z']) : '');
}

export function dateQuestions(seed: number, count: number): Question[] {
  const random = stream(seed);
  return Array.from({ length: count }, () => {
    const format = pick(random, FORMATS);
    const value = random() < 0.9 ? JSON.stringify(anyDate(random)) : pick(random, SCALARS);
    return pick<Question>(random, [
      ['strptime', value, format],
      ['strptime', value, format],
      ['strftime', anyDate(random), format, pick(random, FORMATS)],
      ['days', anyDate(random), anyDate(random), format],
    ]);
  });
}

const NAMES = ['a', 'b', 'c', 'd', 'user_id', 'amount', 'note'];

export function bindQuestions(seed: number, count: number): Question[] {
  const random = stream(seed);
  return Array.from({ length: count }, () => {
    const names = NAMES.filter(() => random() < 0.6);
    const split = Math.floor(random() * (names.length + 1));
    const given = [...names, 'self', 'bogus', 'user'].filter((name) => random() < (names.includes(name) ? 0.7 : 0.08));
    const args = `{${given.map((name) => `"${name}": ${pick(random, ['1', '"x"', 'null'])}`).join(', ')}}`;
    const optional = names.slice(split).map((name) => [name, pick(random, [null, 'given'])]);
    return ['bind', names.slice(0, split), optional, args];
  });
}
