/** A deep copy that nobody can change, of plain data. Strings are shared, so a long conversation is cheap to keep. */
export function frozenCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  const copy = Array.isArray(value)
    ? value.map((item: unknown) => frozenCopy(item))
    : Object.fromEntries(Object.entries(value).map(([name, item]) => [name, frozenCopy<unknown>(item)]));
  return Object.freeze(copy) as T; // same shape by construction
}
