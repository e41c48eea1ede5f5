import { ConfigError } from 'flyball';

/** A whole number of at least 1. */
export function countOf(option: string, text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1) return count;
  throw new ConfigError(`${option} must be a whole number of at least 1, got "${text}".`);
}

export function namesOf(text: string | undefined): readonly string[] {
  return (text ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
