import { typeName } from '../python/equality.js';
import { formatFixed } from '../python/format.js';
import { PyError, type PyValue } from '../python/value.js';

export { formatFixed as fixedText };

/**
 * Operations of the reference's language on values of any type. The tools get whatever a model wrote, so a number may
 * stand where a text is meant: what is raised then, and with which words, is part of what the agent sees.
 */

/** The text on which a method of texts is called: `value.isdigit()`. */
export function textFor(value: PyValue, method: string): string {
  if (typeof value === 'string') return value;
  throw new PyError('AttributeError', `'${typeName(value)}' object has no attribute '${method}'`);
}

/** A key of a dict, as in `value in records`. Only texts are keys here: whatever else is hashable is simply not found. */
export function keyOf(value: PyValue): string | undefined {
  if (Array.isArray(value) || value instanceof Map) {
    throw new PyError('TypeError', `unhashable type: '${typeName(value)}'`);
  }
  return typeof value === 'string' ? value : undefined;
}

/** `${value:.2f}`: the sign stands behind the currency. */
export function dollars(value: PyValue): string {
  return `$${formatFixed(value, 2)}`;
}

export function isOneOf(value: PyValue, choices: readonly string[]): boolean {
  return typeof value === 'string' && choices.includes(value);
}

/** Runs a conversion that the reference guards with `except (ValueError, TypeError)`; undefined where it raises one. */
export function attempt<V>(convert: () => V): V | undefined {
  try {
    return convert();
  } catch (error) {
    if (error instanceof PyError && (error.kind === 'ValueError' || error.kind === 'TypeError')) return undefined;
    throw error;
  }
}
