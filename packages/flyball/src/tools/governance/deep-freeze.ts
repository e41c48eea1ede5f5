/** Freezes a value and all it holds. Plain data only: a frozen buffer or map would still be changeable inside. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) deepFreeze(member);
  return value;
}

/** A copy that whoever looks at it cannot change, nor the original through it. */
export function frozenCopy<T>(value: T): T {
  return deepFreeze(structuredClone(value));
}
