/** A value of an output that says something took place, or did not. */
export type Claimed = string | number | boolean;

/** Stands for every value that says anything. */
export const ANY = '*';

/**
 * The values at a path, through lists: `steps.did` is that of every step. A field whose own name has dots is found by
 * that name too.
 */
export function valuesAt(value: unknown, path: readonly string[]): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap((member) => valuesAt(member, path));
  const [first, ...rest] = path;
  if (first === undefined) return [value];
  if (typeof value !== 'object' || value === null) return [];
  const fields = value as Readonly<Record<string, unknown>>;
  const whole = path.join('.');
  const own = rest.length > 0 && Object.hasOwn(fields, whole) ? valuesAt(fields[whole], []) : [];
  return Object.hasOwn(fields, first) ? [...own, ...valuesAt(fields[first], rest)] : own;
}

/** A model that writes "Refunded." claims what "refunded" claims: only letters and digits count. */
export function isClaimed(says: Claimed | readonly Claimed[] | ((value: unknown) => boolean), value: unknown): boolean {
  if (typeof says === 'function') return says(value);
  if (typeof says === 'object') return says.some((one) => isClaimed(one, value));
  if (says === ANY) return value !== undefined && value !== null && value !== false && value !== '';
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return false;
  if (typeof says === 'number') return value === says || (typeof value === 'string' && folded(value) === String(says));
  return folded(value) === folded(says);
}

function folded(value: Claimed): string {
  const plain = String(value)
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .toLowerCase();
  const words = plain.replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
  return words === '' ? plain.trim() : words;
}

/** What a text says of a field in the form `field: value`, to the end of the line or of the phrase. */
export function namedIn(text: string, field: string): readonly string[] {
  const name = field.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const said = new RegExp(`(?<![\\p{L}\\p{N}_.])${name}[^\\p{L}\\p{N}\\n]{0,8}?[:=]([^\\n,;}]{0,200})`, 'giu');
  return [...text.matchAll(said)].map(([, value = '']) => value.trim());
}
