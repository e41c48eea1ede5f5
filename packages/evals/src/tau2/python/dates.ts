import { typeName } from './equality.js';
import { toInt } from './number.js';
import { repr, SPACE_CLASS } from './text.js';
import { PyError, type PyValue } from './value.js';

/** A point on the calendar without a zone, as `datetime` has it. */
export interface PyDateTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

const DIRECTIVES: Readonly<Record<string, readonly [field: keyof PyDateTime, pattern: string]>> = {
  Y: ['year', '\\p{Nd}{4}'],
  m: ['month', '1[0-2]|0[1-9]|[1-9]'],
  d: ['day', '3[0-1]|[1-2]\\p{Nd}|0[1-9]|[1-9]| [1-9]'],
  H: ['hour', '2[0-3]|[0-1]\\p{Nd}|\\p{Nd}'],
  M: ['minute', '[0-5]\\p{Nd}|\\p{Nd}'],
  S: ['second', '6[0-1]|[0-5]\\p{Nd}|\\p{Nd}'],
};
const patterns = new Map<string, RegExp>();

/** `datetime.strptime` for the directives Y, m, d, H, M and S: one-digit months and days pass, blanks around do not. */
export function strptime(text: PyValue, format: string): PyDateTime {
  const read = readDate(text, format);
  if (typeof read === 'string') throw new PyError('ValueError', read);
  return read;
}

/** The same where a failure is an answer; a value that is no text still raises. */
export function tryStrptime(text: PyValue, format: string): PyDateTime | undefined {
  const read = readDate(text, format);
  return typeof read === 'string' ? undefined : read;
}

/** The date, or what is wrong with it. */
function readDate(text: PyValue, format: string): PyDateTime | string {
  if (typeof text !== 'string') {
    const type = text === null ? 'None' : typeName(text);
    throw new PyError('TypeError', `strptime() argument 1 must be str, not ${type}`);
  }
  const found = patternOf(format).exec(text);
  if (found === null) return `time data ${repr(text)} does not match format ${repr(format)}`;
  if (found[0] !== text) return `unconverted data remains: ${text.slice(found[0].length)}`;
  return checked(found.groups ?? {});
}

function patternOf(format: string): RegExp {
  const known = patterns.get(format);
  if (known !== undefined) return known;
  const source = format
    .replace(/[\\.^$*+?(){}[\]|/]/g, '\\$&')
    .replace(/\s+/g, `[${SPACE_CLASS}]+`)
    .replace(/%([A-Za-z])/g, (_, letter: string) => directive(letter));
  const made = new RegExp(`^${source}`, 'u');
  patterns.set(format, made);
  return made;
}

function directive(letter: string): string {
  const known = DIRECTIVES[letter];
  if (known === undefined) throw new PyError('ValueError', `'${letter}' is a bad directive`);
  return `(?<${known[0]}>${known[1]})`;
}

function checked(groups: Readonly<Record<string, string | undefined>>): PyDateTime | string {
  const year = numberIn(groups['year'], 1900);
  const month = numberIn(groups['month'], 1);
  const day = numberIn(groups['day'], 1);
  if (year < 1) return `year ${year} is out of range`;
  if (day > daysInMonth(year, month)) return 'day is out of range for month';
  const second = numberIn(groups['second'], 0);
  if (second > 59) return 'second must be in 0..59';
  return { year, month, day, hour: numberIn(groups['hour'], 0), minute: numberIn(groups['minute'], 0), second };
}

/** Other decimals than ASCII's are rare enough for the slow way. */
function numberIn(text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  const number = Number(text);
  return Number.isNaN(number) ? Number(toInt(text)) : number;
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** `strftime` for the same directives. Years are not padded: glibc does not either. */
export function strftime(at: PyDateTime, format: string): string {
  return format.replace(/%([YmdHMS])/g, (_, letter: string) => {
    const value = String(at[DIRECTIVES[letter]?.[0] ?? 'year']);
    return letter === 'Y' ? value : value.padStart(2, '0');
  });
}

/** `(a - b).days`: whole days, rounded down. */
export function daysBetween(a: PyDateTime, b: PyDateTime): number {
  return Math.floor((secondsOf(a) - secondsOf(b)) / 86_400);
}

/** Orders two points: below zero where `a` is earlier. */
export function compareDates(a: PyDateTime, b: PyDateTime): number {
  return secondsOf(a) - secondsOf(b);
}

/** Seconds since the first of March of the year 0: years that begin in March have their leap day at the end. */
function secondsOf({ year, month, day, hour, minute, second }: PyDateTime): number {
  const y = month < 3 ? year - 1 : year;
  const m = month < 3 ? month + 9 : month - 3;
  const leapDays = Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400);
  const days = y * 365 + leapDays + Math.floor((m * 153 + 2) / 5) + day - 1;
  return days * 86_400 + hour * 3_600 + minute * 60 + second;
}
