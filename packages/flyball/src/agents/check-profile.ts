import { DEFAULT_AUTONOMY, ENFORCEMENT_POINTS } from '../tools/autonomy/profile.js';
import type { StopCondition } from '../tools/autonomy/stop-conditions.js';
import type { Read, SpecPath, SpecReader } from './spec-reader.js';

const text: Read = (reader, value, path) => reader.text(value, path);
const amount: Read = (reader, value, path) => reader.number(value, path, 0);
const times: Read = (reader, value, path) => reader.whole(value, path, 1);

const PARTS: Readonly<Record<string, Read>> = {
  limits: readLimits,
  warnAt: readShare,
  modes: readModes,
  stopWhen: (reader, value, path) => reader.list(value, path, (entry, at) => readCondition(reader, entry, at)),
};

/** How far an agent may go, as a file says it. */
export function readProfile(reader: SpecReader, value: unknown, path: SpecPath): unknown {
  const given = reader.mapping(value, path, Object.keys(PARTS));
  return given && reader.members(given, path, PARTS);
}

function readLimits(reader: SpecReader, value: unknown, path: SpecPath): unknown {
  const names = Object.keys(DEFAULT_AUTONOMY.limits);
  const given = reader.mapping(value, path, names);
  return given && reader.members(given, path, Object.fromEntries(names.map((name) => [name, amount])));
}

function readShare(reader: SpecReader, value: unknown, path: SpecPath): unknown {
  if (typeof value === 'number' && value > 0 && value <= 1) return value;
  return reader.wrong(path, 'must be a number above 0 and at most 1');
}

function readModes(reader: SpecReader, value: unknown, path: SpecPath): unknown {
  const points = Object.keys(ENFORCEMENT_POINTS);
  const given = reader.mapping(value, path, points);
  const mode: Read = (of, name, at) => of.oneOf(name, at, ['block', 'warn', 'escalate']);
  return given && reader.members(given, path, Object.fromEntries(points.map((point) => [point, mode])));
}

type Kind = StopCondition['kind'];

/** What each condition needs beside its kind; `times` may be left out. */
const CONDITIONS: Readonly<Record<Kind, Readonly<Record<string, Read>>>> = {
  toolCalled: { tool: text, times },
  toolCallsAtLeast: { calls: amount },
  filesChangedAtLeast: { files: amount },
  linesChangedAtLeast: { lines: amount },
  iterationsAtLeast: { iterations: amount },
  minutesAtLeast: { minutes: amount },
  costAtLeast: { usd: amount },
  replyMatches: { pattern: text },
  errorCodeSeen: { code: text, times },
};

function readCondition(reader: SpecReader, value: unknown, path: SpecPath): unknown {
  const { kind: named } = Object(value) as { readonly kind?: unknown };
  const kind = reader.oneOf(named, [...path, 'kind'], Object.keys(CONDITIONS) as Kind[]);
  if (kind === undefined) return undefined;
  const parts = CONDITIONS[kind];
  const given = reader.mapping(value, path, ['kind', ...Object.keys(parts)]);
  if (given === undefined) return undefined;
  for (const part of Object.keys(parts))
    if (part !== 'times' && given[part] === undefined) reader.wrong([...path, part], 'is missing');
  return { kind, ...reader.members(given, path, parts) };
}
