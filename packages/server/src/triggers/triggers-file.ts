import type { SpecPath } from 'flyball/internal';
import { AXES, type Read, readYaml, SpecReader } from 'flyball/internal';
import { cronTrigger, type Trigger, webhookTrigger } from './trigger.js';

/** Reads triggers from a YAML file: a list, or a mapping with `triggers`. Errors have their line. */
export async function triggersFromFile(file: string): Promise<readonly Trigger[]> {
  const source = await readYaml(file);
  const reader = new SpecReader(source.at);
  const triggers = readAll(reader, source.value);
  reader.finish();
  return triggers;
}

function readAll(reader: SpecReader, value: unknown): readonly Trigger[] {
  const isList = Array.isArray(value);
  const list = isList ? value : reader.mapping(value, [], ['triggers'])?.['triggers'];
  const path: SpecPath = isList ? [] : ['triggers'];
  return reader.list(list, path, (entry, at) => readTrigger(reader, entry, at)) ?? [];
}

const text: Read = (reader, value, path) => reader.text(value, path);
const anything: Read = (_reader, value) => value;

const BASE: Readonly<Record<string, Read>> = { name: text, agent: text, tenant: text, budget: readBudget };
const CRON: Readonly<Record<string, Read>> = {
  ...BASE,
  schedule: text,
  timezone: text,
  input: anything,
  missed: (reader, value, path) => reader.oneOf(value, path, ['skip', 'once']),
};
const WEBHOOK: Readonly<Record<string, Read>> = {
  ...BASE,
  secret: (reader, value, path) => (Array.isArray(value) ? reader.names(value, path) : reader.text(value, path)),
  style: (reader, value, path) => reader.oneOf(value, path, ['flyball', 'github']),
  map: readMap,
  toleranceMs: (reader, value, path) => reader.whole(value, path, 1),
};

/** With a schedule it is a cron trigger, with a secret a webhook. */
function readTrigger(reader: SpecReader, value: unknown, path: SpecPath): Trigger | undefined {
  const isWebhook = Object.hasOwn(Object(value) as object, 'secret');
  const reads = isWebhook ? WEBHOOK : CRON;
  const given = reader.mapping(value, path, Object.keys(reads));
  if (given === undefined) return undefined;
  const needed = isWebhook ? ['name', 'agent', 'secret'] : ['name', 'agent', 'schedule'];
  const missing = needed.filter((field) => given[field] === undefined);
  for (const field of missing) reader.wrong([...path, field], missingText(field));
  const members = reader.members(given, path, reads);
  if (needed.some((field) => members[field] === undefined)) return undefined;
  let made: Trigger | undefined;
  reader.holds(path, () => {
    made = isWebhook ? webhookTrigger(members as never) : cronTrigger(members as never);
  });
  return made;
}

function missingText(field: string): string {
  return field === 'schedule' ? 'is missing, and so is secret: a trigger needs one of them' : 'is missing';
}

function readBudget(reader: SpecReader, value: unknown, path: SpecPath): unknown {
  const axes = [...AXES, 'depth', 'width', 'noProgress'];
  const given = reader.mapping(value, path, axes);
  const number: Read = (inner, amount, at) => inner.number(amount, at, 0);
  return given === undefined
    ? undefined
    : reader.members(given, path, Object.fromEntries(axes.map((axis) => [axis, number])));
}

function readMap(reader: SpecReader, value: unknown, path: SpecPath): unknown {
  if (typeof value === 'string') return value;
  const given = reader.mapping(value, path);
  return given === undefined
    ? undefined
    : reader.members(given, path, Object.fromEntries(Object.keys(given).map((field) => [field, text])));
}
