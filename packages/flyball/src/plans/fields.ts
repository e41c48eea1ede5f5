import { PLAN_LIMITS } from './limits.js';

/** Reads the fields of one object that somebody else wrote, and notes what is wrong with them in words they can use. */
export interface Fields {
  /** `most` characters; those of a name where it is not said. */
  text(name: string, fallback?: string, most?: number): string;
  /** At most so many items, each no longer than a name. */
  list(name: string, most: number): readonly string[];
  /** Conditions: trimmed, none empty, none together with its negation. */
  conditions(name: string): readonly string[];
  amount(name: string, fallback: number, least?: number): number;
  oneOf<T extends string>(name: string, choices: readonly T[], fallback: T): T;
  object(name: string): Readonly<Record<string, unknown>> | undefined;
  /** Notes a problem with a field. */
  refuse(name: string, why: string): void;
  has(name: string): boolean;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A null field counts as left out: models write it where they have nothing to say. */
export function fieldsOf(source: Readonly<Record<string, unknown>>, place: string, problems: string[]): Fields {
  const given = (name: string) => (Object.hasOwn(source, name) ? (source[name] ?? undefined) : undefined);
  const refuse = (name: string, why: string) => void problems.push(`${place}: ${name} ${why}`);
  const has = (name: string) => given(name) !== undefined;
  const isShort = (name: string, text: string, most: number = PLAN_LIMITS.nameChars) => {
    if (text.length > most) refuse(name, `is ${text.length} characters long, and ${most} is the most`);
    return text.length <= most;
  };
  const list = (name: string, most: number) => {
    const value = given(name) ?? [];
    if (Array.isArray(value) && value.length > most) {
      refuse(name, `holds ${value.length} items, and ${most} is the most`);
      return [];
    }
    const items = Array.isArray(value) ? (value as readonly unknown[]).map(asText) : undefined;
    const texts = (items ?? []).flatMap((item) => (item === undefined || item === '' ? [] : [item]));
    if (texts.length !== items?.length) refuse(name, 'must be a list of non-empty strings');
    return [...new Set(texts)].filter((text) => isShort(name, text));
  };
  return {
    refuse,
    has,
    list,
    text(name, fallback, most) {
      const text = has(name) ? asText(given(name)) : fallback;
      if (text === undefined || (text === '' && fallback === undefined)) refuse(name, 'must be a non-empty string');
      return text !== undefined && isShort(name, text, most) ? text : '';
    },
    conditions(name) {
      const all = list(name, PLAN_LIMITS.conditions).map((condition) => condition.replace(/^!\s*/, '!'));
      const bad = all.find((condition) => /^!(!|$)/.test(condition));
      if (bad !== undefined) refuse(name, `holds "${bad}": write a condition as x, or as !x where it must not hold`);
      const both = all.find((condition) => all.includes(`!${condition}`));
      if (both !== undefined) refuse(name, `holds both "${both}" and "!${both}"`);
      return [...new Set(all)];
    },
    amount(name, fallback, least) {
      const value = has(name) ? given(name) : fallback;
      if (typeof value === 'number' && Number.isFinite(value) && value >= (least ?? value)) return value;
      refuse(name, least === undefined ? 'must be a number' : `must be a number of at least ${least}`);
      return fallback;
    },
    oneOf(name, choices, fallback) {
      const value = has(name) ? given(name) : fallback;
      const choice = choices.find((known) => known === value);
      if (choice === undefined) refuse(name, `must be one of ${choices.join(', ')}`);
      return choice ?? fallback;
    },
    object(name) {
      const value = given(name);
      if (value === undefined || isObject(value)) return value;
      refuse(name, 'must be an object');
      return undefined;
    },
  };
}

/** Numbers pass for text: older lists count their steps 1, 2, 3. */
function asText(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'string' ? value.trim() : undefined;
}

/** Notes every field that is a known one in another spelling: left alone, it would silently count as left out. */
export function noteMisspelt(fields: Fields, given: Readonly<Record<string, unknown>>, known: readonly string[]): void {
  const plain = (name: string) => name.replaceAll(/[\s_-]/g, '').toLowerCase();
  const fieldOf = new Map(known.map((field) => [plain(field), field]));
  for (const name of Object.keys(given)) {
    const meant = fieldOf.get(plain(name));
    if (meant !== undefined && !known.includes(name)) fields.refuse(name, `is written ${meant}`);
  }
}
