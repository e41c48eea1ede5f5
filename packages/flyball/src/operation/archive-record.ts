import type { ForkPoint } from '../core/events.js';
import type { RunRecord } from '../ports/engine.js';
import { ENDED } from './retention-plan.js';

/** What an archive keeps of a run: see `recordOf` of the file. */
type Lasting = Omit<
  RunRecord,
  'owner' | 'leaseUntil' | 'wakeAt' | 'hold' | 'attention' | 'waiting' | 'crashes' | 'damaged'
>;

/** Dates end here: what is later cannot be shown. */
const LAST_MS = 8.64e15;

const isText = (value: unknown): boolean => typeof value === 'string';
/** What programs go by. A control character in it is nobody's name. */
const isName = (value: unknown): boolean => typeof value === 'string' && !/\p{Cc}/u.test(value);
const isIdentity = (value: unknown): boolean => isName(value) && value !== '';
export const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
const isTime = (value: unknown): boolean => isAmount(value) && (value as number) <= LAST_MS;

export function isAmount(value: unknown): boolean {
  return Number.isFinite(value) && (value as number) >= 0;
}

// a complete record: a new field of runs fails to compile here until somebody says what may stand in it
const FIELDS: Readonly<Record<keyof Lasting, (value: unknown) => boolean>> = {
  id: isIdentity,
  agent: isIdentity,
  version: isName,
  tenant: isText,
  subject: isText,
  status: (value) => ENDED.some((status) => status === value),
  generation: isCount,
  createdAt: isTime,
  updatedAt: isTime,
  activeMs: isAmount,
  fork: (value) => value === undefined || isForkPoint(value),
  source: (value) => value === undefined || isText(value),
  code: (value) => value === undefined || isName(value),
};

/** The record in a file, or the name of the first field that holds what no runtime writes. Unknown fields are left out. */
export function recordIn(value: unknown): RunRecord | { readonly wrong: string } {
  if (typeof value !== 'object' || value === null) return { wrong: 'run' };
  const given = value as Fields;
  const wrong = Object.entries(FIELDS).find(([field, isRight]) => !isRight(own(given, field)))?.[0];
  return wrong === undefined ? { ...picked(given), waiting: [], crashes: 0 } : { wrong };
}

type Fields = Readonly<Record<string, unknown>>;

function picked(given: Fields): Lasting {
  const names = Object.keys(FIELDS).filter((field) => own(given, field) !== undefined);
  const fields = names.map((field) => [field, field === 'fork' ? forkPoint(given['fork'] as ForkPoint) : given[field]]);
  return Object.fromEntries(fields) as Lasting;
}

function own(given: Fields, field: string): unknown {
  return Object.hasOwn(given, field) ? given[field] : undefined;
}

function isForkPoint(value: unknown): boolean {
  const { run, generation, seq } = (value ?? {}) as Partial<Record<keyof ForkPoint, unknown>>;
  return isIdentity(run) && isCount(generation) && isCount(seq);
}

function forkPoint({ run, generation, seq }: ForkPoint): ForkPoint {
  return { run, generation, seq };
}
