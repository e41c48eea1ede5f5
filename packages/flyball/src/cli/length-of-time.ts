import { ConfigError } from '../core/errors.js';

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const MOST = 10 * 365 * 86_400_000;

/** `90d`, `24h`, `15m` in milliseconds. */
export function lengthOfTime(option: string, text: string): number {
  const [, amount = '', unit = ''] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
  const ms = Number(amount) * (UNITS[unit] ?? Number.NaN);
  if (ms <= MOST) return ms;
  throw new ConfigError(`${option} takes a duration such as 90d, 24h or 15m, of at most ten years.`);
}
