import { type Claimed, isClaimed } from '../core/claimed-values.js';
import { type Claim, claimsOf, type ProofFields, type Proofs, plainValues, toolOf } from '../core/proofs.js';
import type { JsonSchema } from '../core/schema.js';
import type { AgentSpec } from './agent-spec.js';
import { schemaOfFields } from './fields.js';
import { schemaAt } from './schema-at.js';
import type { Read, SpecPath, SpecReader } from './spec-reader.js';

/** By field: tools for each value, or a list of claims. */
export function readProofs(reader: SpecReader, value: unknown, path: SpecPath): Proofs | undefined {
  const fields = reader.mapping(value, path);
  const claims: Read = (of, known, at) =>
    Array.isArray(known) ? of.list(known, at, (claim, nth) => readClaim(of, claim, nth)) : readValues(of, known, at);
  return fields && (reader.members(fields, path, each(fields, claims)) as unknown as Proofs);
}

const tools: Read = (of, named, at) => (typeof named === 'string' ? of.text(named, at) : of.texts(named, at));

function readValues(reader: SpecReader, value: unknown, path: SpecPath): unknown {
  const given = reader.mapping(value, path);
  return given && reader.members(given, path, each(given, tools));
}

function readClaim(reader: SpecReader, value: unknown, path: SpecPath): unknown {
  const given = reader.mapping(value, path, ['says', 'needs']);
  if (given === undefined) return undefined;
  for (const name of ['says', 'needs'] as const)
    if (given[name] === undefined) reader.wrong([...path, name], 'is missing');
  return reader.members(given, path, { says: readSays, needs: tools });
}

const SAYABLE = ['string', 'number', 'boolean'];

function isSayable(value: unknown): value is Claimed {
  return SAYABLE.includes(typeof value);
}

function readSays(reader: SpecReader, value: unknown, path: SpecPath): unknown {
  if (typeof value === 'function') return value;
  const wrong = [value].flat().find((one) => !isSayable(one));
  if (wrong === undefined) return value;
  return reader.wrong(path, 'must be text, a number, true or false, a list of these, or a function');
}

function each(fields: Readonly<Record<string, unknown>>, read: Read): Readonly<Record<string, Read>> {
  return Object.fromEntries(Object.keys(fields).map((name) => [name, read]));
}

/** A proof that can never be asked for, or never be given, is a mistake in the definition. */
export function checkProofs(reader: SpecReader, spec: Partial<AgentSpec>, output?: JsonSchema): void {
  const schema = output ?? outputSchemaOf(spec);
  for (const [field, of] of Object.entries(spec.proofs ?? {})) {
    const at = schema === undefined ? 'unknown' : schemaAt(schema, field);
    if (at === 'none') reader.wrong(['proofs', field], 'is not an output field');
    for (const [nth, claim] of claimsOf(of).entries()) {
      const path = ['proofs', field, Array.isArray(of) ? nth : String(claim.says)];
      checkNeeds(reader, spec, claim, path);
      if (typeof at === 'object') checkSays(reader, claim, at, path);
    }
  }
}

/** Where the schema does not tell what a field is, an output has to have it, with a value that the proofs name. */
export function proofFields(proofs: Proofs, schema: JsonSchema): Required<ProofFields> {
  const found = Object.keys(proofs).map((field) => [field, schemaAt(schema, field)] as const);
  return {
    required: found.flatMap(([field, at]) => (at === 'unknown' ? [field] : [])),
    closed: Object.fromEntries(
      found.map(([field, at]) => [field, typeof at === 'string' ? [] : at.flatMap(valuesOf).filter(isSayable)]),
    ),
  };
}

function outputSchemaOf({ outputs, outputSchema }: Partial<AgentSpec>): JsonSchema | undefined {
  return outputSchema ?? (outputs === undefined ? undefined : schemaOfFields(outputs, 'allow'));
}

function checkNeeds(
  reader: SpecReader,
  { tools: known = [] }: Partial<AgentSpec>,
  { needs = [] }: Claim,
  path: SpecPath,
) {
  for (const need of [needs].flat())
    if (!known.includes(toolOf(need))) reader.wrong(path, `names ${toolOf(need)}, which is not one of the tools`);
}

function checkSays(reader: SpecReader, claim: Claim, schemas: readonly JsonSchema[], path: SpecPath): void {
  const named = plainValues([claim]);
  if (named.length > 0 && !schemas.every(isClosed)) {
    const why = 'is claimed in a field that can hold any text, where it can be spelled in ways that nobody foresees';
    reader.wrong(path, `${why}: list the values of the field as its enum, or tell claims by a function in says`);
    return;
  }
  if (!schemas.every((schema) => valuesOf(schema).length > 0)) return;
  const possible = schemas.flatMap(valuesOf);
  for (const one of named)
    if (!possible.some((value) => isClaimed(one, value)))
      reader.wrong(path, `is not one of ${possible.map(String).join(', ')}`);
}

function valuesOf({ enum: all, const: one }: JsonSchema): readonly unknown[] {
  return Array.isArray(all) ? all : one === undefined ? [] : [one];
}

const CLOSED_TYPES: readonly unknown[] = ['boolean', 'number', 'integer', 'null'];

/** What it can hold is listed, or has one spelling only. */
function isClosed(schema: JsonSchema): boolean {
  if (valuesOf(schema).length > 0) return true;
  return schema['type'] !== undefined && [schema['type']].flat().every((type) => CLOSED_TYPES.includes(type));
}
