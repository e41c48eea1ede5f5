import { AXES } from '../core/budget.js';
import { outOfRange } from '../core/sampling.js';
import type { JsonSchema } from '../core/schema.js';
import { completeConfig, DEFAULT_CONFIG } from '../loops/tool-loop/config.js';
import { AUTONOMY_LEVELS } from '../tools/governance/autonomy-level.js';
import type { AgentSpec, Dependency, Ownership } from './agent-spec.js';
import { readFields } from './check-fields.js';
import { readProfile } from './check-profile.js';
import { checkProofs, readProofs } from './check-proofs.js';
import { type Read, type SpecPath, SpecReader, type SpecSource } from './spec-reader.js';

const text: Read = (reader, value, path) => reader.text(value, path);
const texts: Read = (reader, value, path) => reader.texts(value, path);
const names: Read = (reader, value, path) => reader.names(value, path);

/** Every field of a definition, and how it is read. */
const FIELDS: Readonly<Record<keyof AgentSpec, Read>> = {
  name: readName,
  version: text,
  description: text,
  role: text,
  capabilities: texts,
  constraints: texts,
  guardrails: texts,
  ownership: readOwnership,
  dependencies: (reader, value, path) => reader.list(value, path, (entry, at) => readDependency(reader, entry, at)),
  autonomy: (reader, value, path) => reader.oneOf(value, path, AUTONOMY_LEVELS),
  autonomyProfile: readProfile,
  inputs: readFields,
  outputs: readFields,
  outputSchema: (reader, value, path) => reader.mapping(value, path) as JsonSchema | undefined,
  proofs: readProofs,
  whenUnproven: (reader, value, path) => reader.oneOf(value, path, ['fail', 'degrade']),
  model: text,
  price: readPrice,
  prices: readPrices,
  sampling: readSampling,
  budget: readBudget,
  tools: names,
  maxTools: (reader, value, path) => reader.whole(value, path, 1),
  access: readAccess,
  policy: text,
  mcp: text,
  skills: names,
  loop: readLoop,
  instructions: text,
};

const REQUIRED = ['name', 'description'] as const;

/**
 * Validates a definition from outside, every field of it, and normalizes lists and shorthands. `output`: the schema
 * of a library, which is no part of the data.
 */
export function checkAgentSpec(data: unknown, source: SpecSource, output?: JsonSchema): AgentSpec {
  const reader = new SpecReader(source);
  const given = reader.mapping(data, [], Object.keys(FIELDS));
  const spec = given === undefined ? {} : reader.members(given, [], FIELDS);
  if (given !== undefined) {
    for (const name of REQUIRED) if (given[name] === undefined) reader.wrong([name], 'is missing');
    if (given['outputs'] !== undefined && given['outputSchema'] !== undefined)
      reader.wrong(['outputSchema'], 'cannot be used together with outputs: keep one of them');
  }
  if (given !== undefined) checkProofs(reader, spec, output);
  reader.finish();
  return spec as unknown as AgentSpec;
}

function readName(reader: SpecReader, value: unknown, path: SpecPath): string | undefined {
  const name = reader.text(value, path);
  if (name === undefined || /^[\w.-]+$/.test(name)) return name;
  return reader.wrong(path, `can only contain letters, digits, "_", "-" and ".", got "${name}"`);
}

function readOwnership(reader: SpecReader, value: unknown, path: SpecPath): Ownership | undefined {
  if (typeof value === 'string') return { owner: value };
  const given = reader.mapping(value, path, ['owner', 'contact', 'escalation']);
  if (given === undefined) return undefined;
  if (given['owner'] === undefined) return reader.wrong([...path, 'owner'], 'is missing');
  return reader.members(given, path, { owner: text, contact: text, escalation: text }) as unknown as Ownership;
}

const ACCESS = ['read', 'write', 'commands', 'domains', 'privateAddresses'] as const;

function readAccess(reader: SpecReader, value: unknown, path: SpecPath): unknown {
  const given = reader.mapping(value, path, ACCESS);
  return given && reader.members(given, path, Object.fromEntries(ACCESS.map((name) => [name, names])));
}

function readDependency(reader: SpecReader, value: unknown, path: SpecPath): Dependency | undefined {
  if (typeof value === 'string') return { name: value };
  const given = reader.mapping(value, path, ['name', 'why']);
  if (given === undefined) return undefined;
  if (given['name'] === undefined) return reader.wrong([...path, 'name'], 'is missing');
  return reader.members(given, path, { name: text, why: text }) as unknown as Dependency;
}

function ranged(name: 'temperature' | 'topP'): Read {
  return (reader, value, path) => {
    const problem = outOfRange(name, value);
    return problem === undefined ? value : reader.wrong(path, `${problem}, got ${JSON.stringify(value)}`);
  };
}

const SAMPLING: Readonly<Record<string, Read>> = {
  maxOutputTokens: (reader, value, path) => reader.whole(value, path, 1),
  temperature: ranged('temperature'),
  topP: ranged('topP'),
  reasoningEffort: text,
  seed: (reader, value, path) => reader.whole(value, path),
  stop: texts,
  logProbs: (reader, value, path) => reader.whole(value, path, 0),
  vendor: (reader, value, path) => reader.mapping(value, path),
};

function readSampling(reader: SpecReader, value: unknown, path: SpecPath): unknown {
  const given = reader.mapping(value, path, Object.keys(SAMPLING));
  return given && reader.members(given, path, SAMPLING);
}

const PRICE = ['input', 'output', 'cacheRead', 'cacheWrite'] as const;

function readPrice(reader: SpecReader, value: unknown, path: SpecPath): unknown {
  const given = reader.mapping(value, path, PRICE);
  for (const part of ['input', 'output'] as const)
    if (given !== undefined && given[part] === undefined) reader.wrong([...path, part], 'is missing');
  const amount: Read = (of, part, at) => of.number(part, at, 0);
  return given && reader.members(given, path, Object.fromEntries(PRICE.map((part) => [part, amount])));
}

function readPrices(reader: SpecReader, value: unknown, path: SpecPath): unknown {
  const given = reader.mapping(value, path);
  for (const name of Object.keys(given ?? {}))
    if (!name.includes('/')) reader.wrong([...path, name], 'is not a model: write provider/model');
  return given && reader.members(given, path, Object.fromEntries(Object.keys(given).map((name) => [name, readPrice])));
}

const BUDGET_AXES = [...AXES, 'depth', 'width', 'noProgress', 'deadline'];

function readBudget(reader: SpecReader, value: unknown, path: SpecPath): unknown {
  const given = reader.mapping(value, path, BUDGET_AXES);
  const amount: Read = (of, axis, at) => of.number(axis, at, 0);
  return given && reader.members(given, path, Object.fromEntries(BUDGET_AXES.map((axis) => [axis, amount])));
}

/** The loop itself knows what its settings mean: it is asked about each of them on its own. */
function readLoop(reader: SpecReader, value: unknown, path: SpecPath): unknown {
  const given = reader.mapping(value, path, Object.keys(DEFAULT_CONFIG));
  if (given === undefined) return undefined;
  const { window, ...settings } = given;
  for (const [name, setting] of Object.entries(settings))
    if (name in DEFAULT_CONFIG) reader.holds([...path, name], () => completeConfig({ [name]: setting }));
  if (window === undefined) return given;
  const care = reader.mapping(window, [...path, 'window'], Object.keys(DEFAULT_CONFIG.window));
  for (const [name, setting] of Object.entries(care ?? {}))
    if (name in DEFAULT_CONFIG.window)
      reader.holds([...path, 'window', name], () => completeConfig({ window: { [name]: setting } }));
  return given;
}
