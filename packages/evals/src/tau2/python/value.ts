/**
 * Values as the reference benchmark has them. Its hashes tell `33` from `33.0`, so whole numbers are bigint here and
 * floats are number; objects are Maps, because their order is part of what is printed and a key may be `__proto__`.
 */
export type PyValue = null | boolean | bigint | number | string | PyValue[] | PyDict;
/** A Python dictionary. */
export type PyDict = Map<string, PyValue>;

/** What an operation of the reference raises: its kind decides whether a caller catches it, its text reaches the agent. */
export type PyErrorKind =
  | 'AttributeError'
  | 'IndexError'
  | 'JSONDecodeError'
  | 'KeyError'
  | 'OverflowError'
  | 'RecursionError'
  | 'TypeError'
  | 'ValueError'
  | 'ZeroDivisionError';

/** An error that Python code would raise. */
export class PyError extends Error {
  readonly kind: PyErrorKind;

  constructor(kind: PyErrorKind, message: string) {
    super(message);
    this.name = 'PyError';
    this.kind = kind;
  }
}
