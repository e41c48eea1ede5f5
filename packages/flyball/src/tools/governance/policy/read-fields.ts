import { ConfigError } from '../../../core/errors.js';

/** Reads a part of a policy and refuses what it does not know: a misspelt condition would silently hold for everything. */
export class Fields {
  readonly where: string;
  private readonly data: Readonly<Record<string, unknown>>;

  constructor(data: unknown, where: string, known: readonly string[]) {
    if (typeof data !== 'object' || data === null || Array.isArray(data))
      throw new ConfigError(`${where} must be a mapping with the fields ${known.join(', ')}.`);
    this.where = where;
    this.data = data as Readonly<Record<string, unknown>>;
    const unknown = Object.keys(data).find((name) => !known.includes(name));
    if (unknown !== undefined)
      throw new ConfigError(`${where}: unknown field "${unknown}". Known fields: ${known.join(', ')}.`);
  }

  has(name: string): boolean {
    return this.data[name] !== undefined;
  }

  get(name: string): unknown {
    return this.data[name];
  }

  text(name: string): string {
    const value = this.data[name];
    if (typeof value !== 'string' || value.trim() === '')
      return this.fail(name, `must be a text that is not empty${value === undefined ? ', and is missing' : ''}`);
    return value;
  }

  number(name: string): number {
    const value = this.data[name];
    return typeof value === 'number' && Number.isFinite(value) ? value : this.fail(name, 'must be a number');
  }

  /** One text or a list of them. */
  texts(name: string): readonly string[] {
    const value = this.data[name];
    const list: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (list.length === 0 || list.some((each) => typeof each !== 'string' || each === ''))
      return this.fail(name, 'must be a text or a list of texts that are not empty');
    return list as readonly string[];
  }

  oneOf<T extends string>(name: string, choices: readonly T[]): T {
    return this.choice(name, this.data[name], choices);
  }

  someOf<T extends string>(name: string, choices: readonly T[]): readonly T[] {
    return this.texts(name).map((each) => this.choice(name, each, choices));
  }

  list(name: string): readonly unknown[] {
    const value = this.data[name];
    return Array.isArray(value) ? value : this.fail(name, 'must be a list');
  }

  fail(name: string, problem: string): never {
    throw new ConfigError(`${this.where}: ${name} ${problem}.`);
  }

  private choice<T extends string>(name: string, value: unknown, choices: readonly T[]): T {
    const found = choices.find((choice) => choice === value);
    return found ?? this.fail(name, `must be one of ${choices.join(', ')}, got ${JSON.stringify(value) ?? 'nothing'}`);
  }
}
