import { ConfigError } from '../core/errors.js';

const UNITS: Readonly<Record<string, number>> = { '': 1, B: 1, KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 };

/** `500MB`, `2GB`, or a number of bytes. */
export function bytesOf(option: string, text: string): number {
  const [, amount = '', unit = ''] = /^(\d{1,15}(?:\.\d{1,3})?)\s?([KMGT]?B|)$/i.exec(text) ?? [];
  const bytes = Number(amount) * (UNITS[unit.toUpperCase()] ?? Number.NaN);
  if (amount !== '' && Number.isFinite(bytes)) return Math.round(bytes);
  throw new ConfigError(`${option} takes a size such as 500MB or 2GB.`);
}

export function bytesText(bytes: number): string {
  const [unit, size] = Object.entries(UNITS).findLast(([name, least]) => name !== '' && bytes >= least) ?? ['B', 1];
  return `${(bytes / size).toFixed(unit === 'B' ? 0 : 1)} ${unit}`;
}
