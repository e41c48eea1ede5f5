export type FieldValue = string | number | boolean | null;

/** True when the value is an object whose own top-level fields equal these: 1 is not true, and absent is not null. */
export function hasFields(value: unknown, wanted: Readonly<Record<string, FieldValue>>): boolean {
  const fields = (typeof value === 'object' && value !== null ? value : {}) as Readonly<Record<string, unknown>>;
  return Object.entries(wanted).every(([field, equal]) => Object.hasOwn(fields, field) && fields[field] === equal);
}
