import type { JsonSchema } from '../core/schema.js';

/**
 * What is wrong with a JSON Schema as the input of a tool, found when the tool is made and not with the first call.
 * Knows the shape of the keywords and not their meaning, and lets keywords pass that it does not know.
 */
export function schemaProblem(schema: JsonSchema): string | undefined {
  if (schema['type'] !== 'object') {
    return `its input is ${typeText(schema)}, but providers take only objects: use an object schema with one property for each argument.`;
  }
  return shapeProblem(schema, 'input');
}

/** The same for a schema of anything, which is called `at` in the problem. */
export function shapeProblem(schema: JsonSchema, at: string): string | undefined {
  return walk(schema, { at, root: schema, anchors: anchorsIn(schema) });
}

interface Place {
  readonly at: string;
  readonly root: JsonSchema;
  readonly anchors: ReadonlySet<unknown>;
}

const TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];
const ONE_SCHEMA =
  /^(additionalProperties|unevaluatedProperties|propertyNames|items|additionalItems|unevaluatedItems|contains|not|if|then|else)$/;
const SCHEMA_LISTS = /^(anyOf|allOf|oneOf|prefixItems)$/;
const SCHEMA_MAPS = /^(properties|patternProperties|dependentSchemas|\$defs|definitions)$/;

function walk(schema: unknown, place: Place): string | undefined {
  if (typeof schema === 'boolean') return undefined;
  if (!isRecord(schema)) return `${place.at} is ${JSON.stringify(schema)}, but a schema is an object.`;
  for (const [keyword, value] of Object.entries(schema)) {
    const problem = keywordProblem(keyword, value, place) ?? inside(keyword, value, place);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function inside(keyword: string, value: unknown, place: Place): string | undefined {
  const at = `${place.at}.${keyword}`;
  // until draft 2020-12 `items` could be a list, too
  if (SCHEMA_LISTS.test(keyword) || (keyword === 'items' && Array.isArray(value))) {
    if (!Array.isArray(value)) return `${at} must be a list of schemas.`;
    return first(value.map((part, index) => () => walk(part, { ...place, at: `${at}[${index}]` })));
  }
  if (SCHEMA_MAPS.test(keyword)) {
    if (!isRecord(value)) return `${at} must be an object of schemas.`;
    return first(
      Object.entries(value).map(
        ([key, part]) =>
          () =>
            walk(part, { ...place, at: `${at}.${key}` }),
      ),
    );
  }
  return ONE_SCHEMA.test(keyword) ? walk(value, { ...place, at }) : undefined;
}

function keywordProblem(keyword: string, value: unknown, { at, root, anchors }: Place): string | undefined {
  switch (keyword) {
    case 'type': {
      const stray = [value].flat().find((type) => !TYPES.includes(type as string));
      return stray === undefined ? undefined : `${at}.type: there is no type ${JSON.stringify(stray)}.`;
    }
    case 'required':
      if (Array.isArray(value) && value.every((name) => typeof name === 'string')) return undefined;
      return `${at}.required must be a list of names.`;
    case 'enum':
      return Array.isArray(value) ? undefined : `${at}.enum must be a list.`;
    case 'pattern':
      return patternProblem(value, `${at}.pattern`);
    case 'patternProperties':
      return first(
        Object.keys(isRecord(value) ? value : {}).map((key) => () => patternProblem(key, `${at}.${keyword}`)),
      );
    case '$ref':
      if (typeof value === 'string' && resolves(value, root, anchors)) return undefined;
      return `${at}.$ref points to ${JSON.stringify(value)}, which is not in the schema: put it under $defs and refer to "#/$defs/name".`;
    default:
      return undefined;
  }
}

function patternProblem(value: unknown, at: string): string | undefined {
  try {
    new RegExp(String(value), 'u');
    return typeof value === 'string' ? undefined : `${at} must be text.`;
  } catch (error) {
    return `${at}: ${(error as Error).message}.`;
  }
}

function resolves(ref: string, root: JsonSchema, anchors: ReadonlySet<unknown>): boolean {
  if (ref === '#' || anchors.has(ref)) return true;
  if (!ref.startsWith('#/')) return false;
  let found: unknown = root;
  for (const part of ref.slice(2).split('/')) {
    const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return false;
    found = (found as Record<string, unknown>)[key];
  }
  return true;
}

/** Names by which parts of the schema can be referred to beside their place. */
function anchorsIn(value: unknown): ReadonlySet<unknown> {
  if (typeof value !== 'object' || value === null) return new Set();
  const { $anchor, $id } = value as Record<string, unknown>;
  const own = [...(typeof $anchor === 'string' ? [`#${$anchor}`] : []), ...(typeof $id === 'string' ? [$id] : [])];
  return new Set([...own, ...Object.values(value).flatMap((part) => [...anchorsIn(part)])]);
}

function first(checks: readonly (() => string | undefined)[]): string | undefined {
  for (const check of checks) {
    const problem = check();
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function typeText(schema: JsonSchema): string {
  if (schema['type'] !== undefined) return `of type ${JSON.stringify(schema['type'])}`;
  return 'anyOf' in schema || 'oneOf' in schema ? 'a union' : 'without "type": "object"';
}
