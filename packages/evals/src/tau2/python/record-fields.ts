import { FlyballError } from 'flyball';
import { typeName } from './equality.js';
import type { PyDict, PyValue } from './value.js';

/** A JSON object whose fields are read one by one; what does not fit is refused with the path to it. */
export class RecordFields {
  readonly dict: PyDict;
  readonly path: string;

  constructor(value: PyValue | undefined, path: string) {
    if (!(value instanceof Map)) throw misfit(path, 'an object', value);
    this.dict = value;
    this.path = path;
  }

  /** Null where it is absent. */
  value(name: string): PyValue {
    return this.dict.get(name) ?? null;
  }

  text(name: string): string {
    const value = this.value(name);
    if (typeof value !== 'string') throw misfit(this.at(name), 'text', value);
    return value;
  }

  textOrNull(name: string): string | null {
    return this.value(name) === null ? null : this.text(name);
  }

  /** Whole or not. */
  number(name: string): number {
    const value = this.value(name);
    if (typeof value !== 'number' && typeof value !== 'bigint') throw misfit(this.at(name), 'a number', value);
    return Number(value);
  }

  numberOrNull(name: string): number | null {
    return this.value(name) === null ? null : this.number(name);
  }

  boolean(name: string): boolean {
    const value = this.value(name);
    if (typeof value !== 'boolean') throw misfit(this.at(name), 'true or false', value);
    return value;
  }

  oneOf<T extends string>(name: string, allowed: readonly T[]): T {
    const value = this.text(name);
    const found = allowed.find((one) => one === value);
    if (found === undefined) throw misfit(this.at(name), `one of ${allowed.join(', ')}`, value);
    return found;
  }

  fields(name: string): RecordFields {
    return new RecordFields(this.value(name), this.at(name));
  }

  fieldsOrNull(name: string): RecordFields | null {
    return this.value(name) === null ? null : this.fields(name);
  }

  list(name: string): readonly PyValue[] {
    const value = this.value(name);
    if (!Array.isArray(value)) throw misfit(this.at(name), 'a list', value);
    return value;
  }

  each<T>(name: string, read: (value: PyValue, path: string) => T): readonly T[] {
    return this.list(name).map((value, index) => read(value, `${this.at(name)}[${index}]`));
  }

  eachOrNull<T>(name: string, read: (value: PyValue, path: string) => T): readonly T[] | null {
    return this.value(name) === null ? null : this.each(name, read);
  }

  at(name: string): string {
    return this.path === '' ? name : `${this.path}.${name}`;
  }
}

export function misfit(path: string, wanted: string, got: PyValue | undefined): FlyballError {
  const found =
    typeof got === 'string' ? JSON.stringify(got.slice(0, 60)) : got === undefined ? 'nothing' : typeName(got);
  return new FlyballError('INPUT_INVALID', `${path || 'the file'}: expected ${wanted}, found ${found}.`, {
    detail: { path },
  });
}
