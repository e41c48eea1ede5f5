import { Refused } from './desk.js';

const DAY_MS = 86_400_000;
const ISO_DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const BANK_HOLIDAYS = new Set([
  '2026-01-01',
  '2026-04-03',
  '2026-04-06',
  '2026-05-04',
  '2026-05-25',
  '2026-08-31',
  '2026-12-25',
  '2026-12-28',
]);

function dayNumber(date: string): number {
  const [, year, month, day] = ISO_DATE.exec(date) ?? [];
  const ms = Date.UTC(Number(year), Number(month) - 1, Number(day));
  if (Number.isNaN(ms) || isoDate(ms / DAY_MS) !== date) throw new Refused(`'${date}' is not a date (YYYY-MM-DD).`);
  return ms / DAY_MS;
}

function isoDate(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** Throws where it is no day of the calendar. */
export function checkedDate(date: string): string {
  dayNumber(date);
  return date;
}

/** Days from one date to another: the first is not counted, the last is. */
export function daysBetween(from: string, to: string): number {
  return dayNumber(to) - dayNumber(from);
}

/** The same day of a later month; the data use days that every month has. */
export function monthsAfter(date: string, months: number): string {
  dayNumber(date);
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  return new Date(Date.UTC(year, month - 1 + months, day)).toISOString().slice(0, 10);
}

export function dayOfMonth(date: string): number {
  return Number(checkedDate(date).slice(8));
}

/** 0 is Sunday. */
export function weekday(date: string): number {
  return new Date(dayNumber(date) * DAY_MS).getUTCDay();
}

export function isBankHoliday(date: string): boolean {
  return BANK_HOLIDAYS.has(date);
}
