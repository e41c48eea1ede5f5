import type { CountedAxis } from '../../../flyball/src/core/budget.js';

/** Figures in words, short enough for a table. Pure. */
export function dollars(usd: number): string {
  if (usd === 0) return '$0';
  if (usd < 0.0001) return '<$0.0001';
  return `$${usd.toFixed(usd < 1 ? 4 : 2)}`;
}

export function duration(ms: number): string {
  if (ms < 1) return '0 ms';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(2)} s`;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.floor(seconds);
  if (whole < 3600) return inTwo(Math.floor(whole / 60), 'min', whole % 60, 's');
  if (whole < 86_400) return inTwo(Math.floor(whole / 3600), 'h', Math.floor((whole % 3600) / 60), 'min');
  return inTwo(Math.floor(whole / 86_400), 'd', Math.floor((whole % 86_400) / 3600), 'h');
}

function inTwo(large: number, unit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${unit}` : `${large} ${unit} ${small} ${smallUnit}`;
}

const BIG = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });

export function count(of: number): string {
  return of >= 100_000 ? BIG.format(of) : WHOLE.format(of);
}

export const AXIS_NAMES: Readonly<Record<CountedAxis, string>> = {
  iterations: 'Iterations',
  modelCalls: 'Model calls',
  toolCalls: 'Tool calls',
  tokensIn: 'Tokens in',
  tokensOut: 'Tokens out',
  costUsd: 'Cost',
  wallMs: 'Active time',
  filesChanged: 'Files changed',
  linesChanged: 'Lines changed',
};

export function amountOn(axis: CountedAxis, of: number): string {
  if (axis === 'costUsd') return dollars(of);
  return axis === 'wallMs' ? duration(of) : count(of);
}

/** How long ago, for a list: `12 s`, `3 min`, `2 h`, `5 d`. */
export function ago(at: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - at) / 1000));
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  return `${Math.floor(seconds / 86_400)} d ago`;
}

/** Share of a limit that is used, 0 to 1; a limit of nothing is used up. */
export function shareOf(spent: number, limit: number): number {
  if (limit <= 0) return 1;
  return Math.min(1, Math.max(0, spent / limit));
}

export function toneOf(share: number): 'good' | 'warn' | 'bad' {
  if (share >= 1) return 'bad';
  return share >= 0.8 ? 'warn' : 'good';
}
