export interface Alteration {
  readonly what: string;
  readonly altered: unknown;
}

type Path = readonly (string | number)[];

const EVERY_CHARACTER = 70;
const SAMPLES = 40;

/**
 * A record with one thing altered, for everything in it: each character of a text (of long ones a sample, both ends
 * included), each number and truth value, each member and element taken away, added or exchanged with its neighbor.
 */
export function* everyAlteration(record: unknown): Generator<Alteration> {
  for (const [path, value] of leavesOf(record, [])) {
    for (const [how, other] of othersThan(value))
      yield { what: `${path.join('.')}: ${how}`, altered: withAt(record, path, () => other) };
    if (path.length > 0) yield { what: `${path.join('.')}: taken away`, altered: without(record, path) };
  }
}

/** Every value in it, lists and objects included. */
function* leavesOf(value: unknown, path: Path): Generator<readonly [Path, unknown]> {
  yield [path, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value))
    yield* leavesOf(member, [...path, Array.isArray(value) ? Number(key) : key]);
}

function* othersThan(value: unknown): Generator<readonly [string, unknown]> {
  if (typeof value === 'string') yield* otherTexts(value);
  else if (typeof value === 'number') yield* otherNumbers(value);
  else if (typeof value === 'boolean') yield ['the opposite', !value];
  else if (Array.isArray(value)) yield* otherLists(value);
  else if (typeof value === 'object' && value !== null) yield ['a member more', { ...value, added: 1 }];
}

function* otherNumbers(value: number): Generator<readonly [string, number]> {
  const least = Math.max(Math.abs(value) * Number.EPSILON, Number.MIN_VALUE); // the next number that there is
  for (const [how, other] of [
    ['a hair more', value + 2 * least],
    ['one more', value + 1],
    ['negative', -value - 1],
  ] as const)
    if (other !== value) yield [how, other];
}

function* otherTexts(text: string): Generator<readonly [string, string]> {
  yield ['a character more', `${text} `];
  const step = text.length <= EVERY_CHARACTER ? 1 : Math.ceil(text.length / SAMPLES);
  for (let at = 0; at < text.length; at += step) yield [`character ${at}`, flipped(text, at)];
  if (step > 1) yield ['the last character', flipped(text, text.length - 1)];
}

function flipped(text: string, at: number): string {
  return `${text.slice(0, at)}${text[at] === 'a' ? 'b' : 'a'}${text.slice(at + 1)}`;
}

function* otherLists(list: readonly unknown[]): Generator<readonly [string, unknown]> {
  yield ['an element more', [...list, list.at(-1) ?? null]];
  for (let at = 0; at + 1 < list.length; at++) {
    const other = [...list];
    [other[at], other[at + 1]] = [other[at + 1], other[at]];
    if (JSON.stringify(other) !== JSON.stringify(list)) yield [`elements ${at} and ${at + 1} exchanged`, other];
  }
}

function withAt(value: unknown, path: Path, change: (old: unknown) => unknown): unknown {
  const [head, ...rest] = path;
  if (head === undefined) return change(value);
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) }) as Record<
    string | number,
    unknown
  >;
  copy[head] = withAt(copy[head], rest, change);
  return copy;
}

function without(value: unknown, path: Path): unknown {
  const last = path.at(-1);
  return withAt(value, path.slice(0, -1), (holder) => {
    if (Array.isArray(holder)) return holder.filter((_element, at) => at !== last);
    return Object.fromEntries(Object.entries(holder as object).filter(([key]) => key !== last));
  });
}
