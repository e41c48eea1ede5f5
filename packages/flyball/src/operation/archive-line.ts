import { isAmount, isCount } from './archive-record.js';

/** One line of an archive: an entry, a content, or a link of a prompt. */
export type Line =
  | readonly ['e', generation: number, seq: number, at: number, activeMs: number, body: string]
  | readonly ['b', hash: string, content: string]
  | readonly ['l', id: string, parent: string | null, header: string, content: string | null, blob: string | null];

const isText = (value: unknown): boolean => typeof value === 'string';
const isTextOrNull = (value: unknown): boolean => value === null || isText(value);
/** Contents and links are known by 22 characters of base64url. */
const isHash = (value: unknown): boolean => typeof value === 'string' && /^[\w-]{22}$/.test(value);
const isHashOrNull = (value: unknown): boolean => value === null || isHash(value);

const PARTS: Readonly<Record<Line[0], readonly ((value: unknown) => boolean)[]>> = {
  e: [isCount, isCount, isAmount, isAmount, isText],
  b: [isHash, isText],
  l: [isHash, isHashOrNull, isText, isTextOrNull, isHashOrNull],
};

/** Undefined for what is no line of an archive. */
export function lineIn(value: object): Line | undefined {
  if (!Array.isArray(value)) return undefined;
  const [kind, ...parts] = value as unknown[];
  const checks = Object.entries(PARTS).find(([known]) => known === kind)?.[1];
  const isLine = checks?.length === parts.length && checks.every((isRight, index) => isRight(parts[index]));
  return isLine && (kind !== 'l' || (parts[3] === null) !== (parts[4] === null))
    ? (value as unknown as Line)
    : undefined;
}
