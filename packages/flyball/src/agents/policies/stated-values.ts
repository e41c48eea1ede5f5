import type { ValueKind } from './gate-rules.js';

/** More different values of one kind than this are guesses, not a statement. */
const MOST_VALUES: Readonly<Record<Exclude<ValueKind, 'text'>, number>> = {
  date: 30,
  phone: 5,
  email: 5,
  address: 100, // whatever begins with a number looks like one
  code: 10,
};

/** A value in the form in which two spellings of it are equal. */
export function plainValue(kind: ValueKind, value: string): string {
  switch (kind) {
    case 'phone':
      return phoneDigits(value);
    case 'email':
      return value.trim().toLowerCase();
    case 'date':
      return datesIn(value)[0] ?? value.trim().toLowerCase();
    case 'address':
      return addressWords(value).join(' ');
    case 'code':
      return words(value).join('');
    case 'text':
      return value.trim().toLowerCase().replaceAll(/\s+/g, ' ');
  }
}

/** Whether somebody stated this value in these words. */
export function isStated(kind: ValueKind, value: string, said: readonly string[]): boolean {
  const wanted = plainValue(kind, value);
  if (wanted === '') return false;
  if (kind === 'text') return said.some((text) => ` ${words(text).join(' ')} `.includes(` ${words(value).join(' ')} `));
  const found = new Set(said.flatMap((text) => valuesIn(kind, text, likened(kind, value))));
  return found.size <= MOST_VALUES[kind] && found.has(likened(kind, value));
}

/** Whether a text gives this value away, among however many others. */
export function isIn(kind: ValueKind, value: string, text: string): boolean {
  if (kind === 'text') return isStated(kind, value, [text]);
  const wanted = likened(kind, value);
  return wanted !== '' && valuesIn(kind, text, wanted).includes(wanted);
}

/** The form in which values are looked for. */
function likened(kind: ValueKind, value: string): string {
  return kind === 'address' ? streetOf(value) : plainValue(kind, value);
}

/** What the text holds of that kind, in the form of `like` where the kind has none of its own. */
function valuesIn(kind: Exclude<ValueKind, 'text'>, text: string, like: string): readonly string[] {
  if (kind === 'date') return datesIn(text);
  if (kind === 'address') return streetsIn(text, like);
  if (kind === 'code') return codesIn(text, like);
  if (kind === 'email')
    return (text.match(/[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}/g) ?? []).map((one) => one.toLowerCase());
  // a date before a number on the same line is none of its digits, nor is what stands on another line
  const bare = DATE_SHAPES.reduce((left, shape) => left.replaceAll(shape, ';'), text);
  return (bare.match(/\+?\d[\d \t().-]{5,24}\d/g) ?? []).map(phoneDigits);
}

const DATE_SHAPES = [/\b\d{4}[/.-]\d{1,2}[/.-]\d{1,2}\b/g, /\b\d{1,2}[/.-]\d{1,2}[/.-]\d{4}\b/g];

/** Without punctuation and without a leading country code of North America. */
function phoneDigits(value: string): string {
  const digits = value.replaceAll(/\D/g, '');
  return digits.length === 11 && digits.startsWith('1') ? digits.slice(1) : digits;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'] as const;
const MONTH = '(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\\.?';
const DAY = '(\\d{1,2})(?:st|nd|rd|th)?';
const YEAR = '(\\d{4})';

/** Dates in any of the usual spellings, as YYYY-MM-DD. Numbers with slashes are read month first, and day first where that cannot be. */
function datesIn(text: string): readonly string[] {
  const lower = text.toLowerCase();
  const named = (month: string | undefined): number => MONTHS.indexOf((month ?? '') as (typeof MONTHS)[number]) + 1;
  return [
    ...all(lower, `\\b${YEAR}[/.-](\\d{1,2})[/.-](\\d{1,2})\\b`, ([, year, month, day]) =>
      date(year, Number(month), day),
    ),
    ...all(lower, `\\b(\\d{1,2})[/.-](\\d{1,2})[/.-]${YEAR}\\b`, ([, first, second, year]) =>
      Number(first) > 12 ? date(year, Number(second), first) : date(year, Number(first), second),
    ),
    ...all(lower, `\\b${MONTH}\\s+${DAY}\\s*,?\\s+${YEAR}\\b`, ([, month, day, year]) => date(year, named(month), day)),
    ...all(lower, `\\b${DAY}\\s+(?:of\\s+)?${MONTH}\\s*,?\\s+${YEAR}\\b`, ([, day, month, year]) =>
      date(year, named(month), day),
    ),
  ];
}

function all(text: string, pattern: string, read: (match: RegExpMatchArray) => string | undefined): readonly string[] {
  return [...text.matchAll(new RegExp(pattern, 'g'))].flatMap((match) => read(match) ?? []);
}

function date(year: string | undefined, month: number, day: string | undefined): string | undefined {
  const ofMonth = Number(day);
  if (!(month >= 1 && month <= 12 && ofMonth >= 1 && ofMonth <= 31)) return undefined;
  return `${year}-${String(month).padStart(2, '0')}-${String(ofMonth).padStart(2, '0')}`;
}

const SHORT_WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    street: 'st',
    avenue: 'ave',
    boulevard: 'blvd',
    drive: 'dr',
    road: 'rd',
    lane: 'ln',
    court: 'ct',
    place: 'pl',
    square: 'sq',
    terrace: 'ter',
    highway: 'hwy',
    parkway: 'pkwy',
    apartment: 'apt',
    north: 'n',
    south: 's',
    east: 'e',
    west: 'w',
    northeast: 'ne',
    northwest: 'nw',
    southeast: 'se',
    southwest: 'sw',
  }),
);

function words(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function addressWords(text: string): readonly string[] {
  return words(text).map((word) => SHORT_WORDS.get(word) ?? word);
}

/** House number and street: people leave out the rest of their address. Empty where there is no number in it. */
function streetOf(address: string): string {
  const street = addressWords(address.split(/[,\n]/)[0] ?? '');
  return street.length >= 2 && street.some(hasDigit) ? street.join(' ') : '';
}

/** Every run of as many words as the street has that begins as a street does. */
function streetsIn(text: string, street: string): readonly string[] {
  if (street === '') return [];
  const [first = '', ...rest] = street.split(' ');
  const all = addressWords(text);
  return all.flatMap((word, at) =>
    hasDigit(word) === hasDigit(first) && at + rest.length < all.length && isStart(word, first)
      ? [all.slice(at, at + 1 + rest.length).join(' ')]
      : [],
  );
}

/** Streets that begin with a word are looked for by that word: all runs of words would be guesses. */
function isStart(word: string, first: string): boolean {
  return hasDigit(first) || word === first;
}

function hasDigit(word: string): boolean {
  return /\d/.test(word);
}

/** A postcode, say, which people write with or without a gap: one, two or three words that have its shape. */
function codesIn(text: string, code: string): readonly string[] {
  const all = words(text);
  const shape = shapeOf(code);
  // of letters alone it has the shape of any word: then only itself is looked for
  const isLike = (one: string): boolean => (hasDigit(code) ? shapeOf(one) === shape : one === code);
  return all.flatMap((_word, at) => [1, 2, 3].map((length) => all.slice(at, at + length).join('')).filter(isLike));
}

function shapeOf(code: string): string {
  return code.replaceAll(/\p{L}/gu, 'a').replaceAll(/\p{N}/gu, '0');
}
