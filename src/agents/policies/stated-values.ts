import type { ValueKind } from './gate-rules.js';

/** More different values of one kind than this are guesses, not a statement. */
const MOST_VALUES: Readonly<Partial<Record<ValueKind, number>>> = { date: 30, phone: 5, email: 5 };

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
  if (kind === 'address') return said.some((text) => holdsStreet(value, text));
  if (kind === 'code') return said.some((text) => holdsCode(wanted, words(text)));
  if (kind === 'text') return said.some((text) => ` ${words(text).join(' ')} `.includes(` ${words(value).join(' ')} `));
  const found = new Set(said.flatMap((text) => valuesIn(kind, text)));
  return found.size <= (MOST_VALUES[kind] ?? Number.POSITIVE_INFINITY) && found.has(wanted);
}

function valuesIn(kind: 'date' | 'phone' | 'email', text: string): readonly string[] {
  if (kind === 'date') return datesIn(text);
  if (kind === 'email')
    return (text.match(/[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}/g) ?? []).map((one) => one.toLowerCase());
  return (text.match(/\+?\d[\d\s().-]{5,24}\d/g) ?? []).map(phoneDigits);
}

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
    ...all(lower, `\\b${YEAR}-(\\d{1,2})-(\\d{1,2})\\b`, ([, year, month, day]) => date(year, Number(month), day)),
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

const SHORT_WORDS: Readonly<Record<string, string>> = {
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
};

function words(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function addressWords(text: string): readonly string[] {
  return words(text).map((word) => SHORT_WORDS[word] ?? word);
}

/** House number and street, as one run of words: people leave out the rest of their address. */
function holdsStreet(address: string, text: string): boolean {
  const street = addressWords(address.split(/[,\n]/)[0] ?? '');
  if (street.length < 2 || !street.some((word) => /\d/.test(word))) return false;
  return ` ${addressWords(text).join(' ')} `.includes(` ${street.join(' ')} `);
}

/** A postcode, say, which people write with or without a gap: one, two or three words that make it up. */
function holdsCode(code: string, said: readonly string[]): boolean {
  return said.some((_word, at) => [1, 2, 3].some((length) => said.slice(at, at + length).join('') === code));
}
