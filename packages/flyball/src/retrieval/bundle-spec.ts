import { ConfigError } from '../core/errors.js';

/** What a value is, and with that how it is fetched: rows by a lookup, documents whole, graphs by walking, prose by search. */
export type FieldShape = 'table' | 'document' | 'graph' | 'prose';
/** How a field of a bundle is fetched. */
export type Primitive = 'lookup' | 'read' | 'walk' | 'search';
const PRIMITIVE_OF: Readonly<Record<FieldShape, Primitive>> = {
  table: 'lookup',
  document: 'read',
  graph: 'walk',
  prose: 'search',
};

/** An authoritative value wins over the others; an inferred one is only a guess. */
export type Authority = 'authoritative' | 'contextual' | 'inferred';

/** What happens when a value cannot be had. */
export type IfMissing =
  | { readonly action: 'halt' }
  | { readonly action: 'substitute'; readonly value: unknown }
  | { readonly action: 'flag' };

/** What a field of a bundle is fetched for. */
export interface FetchContext {
  readonly entity: string;
  readonly signal: AbortSignal;
}

/** A field of a bundle: where it comes from and what to do if it is missing. */
export interface FieldSpec {
  readonly name: string;
  /** Where it comes from: shown with the value. */
  readonly source: string;
  readonly shape: FieldShape;
  readonly by: Primitive;
  /** Undefined where the source has no such value. JSON: it crosses the journal. */
  readonly fetch: (context: FetchContext) => Promise<unknown>;
  /** Seconds that a value stays good; 0 fetches every time. */
  readonly ttlS: number;
  /** Roles that may see it: one of them is enough, and nobody may where there are none. */
  readonly auth: readonly string[];
  readonly authority: Authority;
  readonly ifMissing: IfMissing;
  /** Fields with the same fact are the same thing from two sources: where they differ, the better authority wins. */
  readonly fact?: string;
  /** It is the same for many entities, so it stands first, where a cached prefix can hold it. */
  readonly stable?: boolean;
}

/** Everything that one kind of work always needs. */
export interface BundleSpec {
  readonly workflow: string;
  readonly version: string;
  readonly fields: readonly FieldSpec[];
}

/** Checks a specification before anything is fetched. */
export function defineBundle(spec: BundleSpec): BundleSpec {
  const problems = spec.fields.flatMap((field) => problemsOf(field).map((problem) => `${field.name}: ${problem}`));
  const names = spec.fields.map(({ name }) => name);
  const twice = names.filter((name, nth) => names.indexOf(name) !== nth);
  if (twice.length > 0) problems.push(`${twice.join(', ')} is there twice`);
  if (spec.workflow.trim() === '' || spec.version.trim() === '') problems.push('workflow and version need a name');
  if (spec.fields.length === 0) problems.push('it names no fields');
  if (problems.length > 0)
    throw new ConfigError(`The bundle of ${spec.workflow} is incomplete: ${problems.join('; ')}.`);
  return spec;
}

function problemsOf(field: FieldSpec): readonly string[] {
  // the types say so too, but a specification may come from a file
  const given: Partial<FieldSpec> = field;
  const problems: string[] = [];
  if (!given.source?.trim()) problems.push('no source');
  if (given.shape === undefined || !Object.hasOwn(PRIMITIVE_OF, given.shape)) problems.push('no shape');
  else if (given.by !== PRIMITIVE_OF[given.shape])
    problems.push(`a ${given.shape} is fetched by ${PRIMITIVE_OF[given.shape]}, not by ${given.by}`);
  if (typeof given.fetch !== 'function') problems.push('nothing to fetch it with');
  if (!(typeof given.ttlS === 'number' && given.ttlS >= 0)) problems.push('no ttlS of at least 0');
  if (!Array.isArray(given.auth)) problems.push('no auth');
  if (given.authority === undefined) problems.push('no authority');
  if (given.ifMissing === undefined) problems.push('no ifMissing');
  return problems;
}
