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

/** One form for the same letters, without what nobody sees. Look-alikes of other alphabets stay what they are. */
function visible(text: string): string {
  return text.normalize('NFKC').replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu, '');
}

function folded(value: Claimed): string {
  const plain = visible(String(value)).toLowerCase();
  const words = plain.replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
  return words === '' ? plain.trim() : words;
}

const EMPHASIS = /[*`~]+|(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu;
const SEPARATOR = '[^\\p{L}\\p{N}]{0,12}?[:=|>→—–-][^\\p{L}\\p{N}]{0,12}';

/**
 * Which of these values a text gives a field in the form `field: value`: the longest that stands there, whatever follows
 * it. Other ways to say it are not found; what a text may claim has no end.
 */
export function namedIn(text: string, field: string, values: readonly Claimed[]): readonly Claimed[] {
  const plain = (of: string) => visible(of).replace(EMPHASIS, '');
  const name = plain(field).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const said = new RegExp(`(?<![\\p{L}\\p{N}_.])${name}${SEPARATOR}([\\p{L}\\p{N}][^\\n]{0,200})`, 'giu');
  const longestFirst = [...values].sort((one, other) => folded(other).length - folded(one).length);
  return [...plain(text).matchAll(said)].flatMap(([, words = '']) => {
    const found = `${folded(words)} `;
    return longestFirst.find((value) => found.startsWith(`${folded(value)} `)) ?? [];
  });
}
