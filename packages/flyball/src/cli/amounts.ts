import type { CountedAxis } from '../core/budget.js';
import { dollars } from '../views/timeline-sentences.js';
import { printable } from './printable.js';

/** Amounts as people read them. */
export function amountText(axis: CountedAxis, amount: number): string {
  if (axis === 'costUsd') return dollars(amount);
  if (axis === 'wallMs') return duration(amount);
  return String(Math.round(amount));
}

export function duration(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000); // rounded before it is divided: there is no second 60
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Text from anywhere as one line of at most so many characters. */
export function shorten(text: string, length: number): string {
  const line = printable(text.replaceAll(/\s+/g, ' ').trim());
  if (line.length <= length) return line;
  const cut = line.slice(0, Math.max(1, length - 1));
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}…`; // half a character would be printed as garbage
}

/** Longer than any message of ours: what others say in an error may have any length. */
const MOST_SENTENCE = 2_000;

/** What happened and what to do about it, as one line that is not cut: a terminal that is too narrow wraps it. */
export function sentence(text: string): string {
  return shorten(text, MOST_SENTENCE);
}

export function plural(count: number, noun: string): string {
  if (count === 1) return `1 ${noun}`;
  if (/[^aeiou]y$/.test(noun)) return `${count} ${noun.slice(0, -1)}ies`;
  return `${count} ${noun}${/(?:s|x|ch|sh)$/.test(noun) ? 'es' : 's'}`;
}
