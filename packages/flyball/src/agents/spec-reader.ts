import { ConfigError } from '../core/errors.js';
import { nearestNames } from '../tools/nearest-names.js';

/** The place of a value in an agent definition. */
export type SpecPath = readonly (string | number)[];

/** Where a definition comes from: a name for messages, or a function that says where a part of it stands. */
export type SpecSource = string | ((path: SpecPath) => string);

type Members = Readonly<Record<string, unknown>>;

/** Reads one part of a definition; undefined where it is wrong. */
export type Read = (reader: SpecReader, value: unknown, path: SpecPath) => unknown;

/** Reads a definition that nobody has checked, and gathers a sentence for every mistake instead of the first one only. */
export class SpecReader {
  private readonly source: SpecSource;
  private readonly problems: string[] = [];

  constructor(source: SpecSource) {
    this.source = source;
  }

  /** Throws when something was wrong. */
  finish(): void {
    if (this.problems.length > 0) throw new ConfigError(this.problems.join('\n'));
  }

  wrong(path: SpecPath, sentence: string): undefined {
    const place = typeof this.source === 'string' ? this.source : this.source(path);
    const where = path
      .map((part, n) => (typeof part === 'number' ? `[${part}]` : n === 0 ? part : `.${part}`))
      .join('');
    this.problems.push(
      `${place}: ${where === '' ? 'the definition' : where} ${sentence}${/[.?]$/.test(sentence) ? '' : '.'}`,
    );
    return undefined;
  }

  /** A mapping with no keys but those it may have; any keys where none are named. */
  mapping(value: unknown, path: SpecPath, keys?: readonly string[]): Members | undefined {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return this.wrong(
        path,
        `must be a mapping${keys === undefined ? '' : ` with ${keys.join(', ')}`}, got ${shown(value)}`,
      );
    for (const key of Object.keys(value)) {
      if (keys !== undefined && !keys.includes(key)) this.wrong([...path, key], `is not known. ${hintFor(key, keys)}`);
    }
    return value as Members;
  }

  text(value: unknown, path: SpecPath): string | undefined {
    if (typeof value === 'string' && value.trim() !== '') return value;
    const quote = typeof value === 'number' || typeof value === 'boolean' ? `; write it in quotes: "${value}"` : '';
    return this.wrong(path, `must be text that is not empty, got ${shown(value)}${quote}`);
  }

  texts(value: unknown, path: SpecPath): readonly string[] | undefined {
    return this.list(value, path, (entry, at) => this.text(entry, at));
  }

  /** A list of different names. */
  names(value: unknown, path: SpecPath): readonly string[] | undefined {
    const names = this.texts(value, path);
    for (const [n, name] of (names ?? []).entries())
      if (names?.indexOf(name) !== n) this.wrong([...path, n], `names "${name}" a second time`);
    return names;
  }

  /** The entries that could be read. */
  list<T>(
    value: unknown,
    path: SpecPath,
    read: (entry: unknown, path: SpecPath) => T | undefined,
  ): readonly T[] | undefined {
    if (!Array.isArray(value)) return this.wrong(path, `must be a list, got ${shown(value)}`);
    return value.flatMap((entry, n) => {
      const made = read(entry, [...path, n]);
      return made === undefined ? [] : [made];
    });
  }

  /** The members that are there, each read as it has to be. */
  members(given: Members, path: SpecPath, reads: Readonly<Record<string, Read>>): Members {
    const made = Object.entries(reads).flatMap(([name, read]) => {
      const value = given[name] === undefined ? undefined : read(this, given[name], [...path, name]);
      return value === undefined ? [] : [[name, value] as const];
    });
    return Object.fromEntries(made);
  }

  number(value: unknown, path: SpecPath, least: number): number | undefined {
    if (typeof value === 'number' && Number.isFinite(value) && value >= least) return value;
    return this.wrong(path, `must be a number of at least ${least}, got ${shown(value)}`);
  }

  whole(value: unknown, path: SpecPath, least = Number.MIN_SAFE_INTEGER): number | undefined {
    if (Number.isSafeInteger(value) && (value as number) >= least) return value as number;
    const bound = least === Number.MIN_SAFE_INTEGER ? '' : ` of at least ${least}`;
    return this.wrong(path, `must be a whole number${bound}, got ${shown(value)}`);
  }

  yesOrNo(value: unknown, path: SpecPath): boolean | undefined {
    return typeof value === 'boolean' ? value : this.wrong(path, `must be true or false, got ${shown(value)}`);
  }

  oneOf<T extends string>(value: unknown, path: SpecPath, choices: readonly T[]): T | undefined {
    const choice = choices.find((name) => name === value);
    if (choice !== undefined) return choice;
    const [near] = typeof value === 'string' ? nearestNames(value, choices, 1) : [];
    const hint = near === undefined ? '' : `. Did you mean ${near}?`;
    return this.wrong(path, `must be one of ${choices.join(', ')}, got ${shown(value)}${hint}`);
  }

  /** What `attempt` objects to, said about this place. */
  holds(path: SpecPath, attempt: () => unknown): void {
    try {
      attempt();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      this.wrong(path, `is wrong: ${error.message.replace(/\.$/, '')}`);
    }
  }
}

function hintFor(key: string, keys: readonly string[]): string {
  const [near] = nearestNames(key, keys, 1);
  return near === undefined ? `Known fields: ${keys.join(', ')}` : `Did you mean ${near}?`;
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
