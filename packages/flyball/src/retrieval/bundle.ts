import { FlyballError } from '../core/errors.js';
import type { Run } from '../core/run.js';
import type { Authority, BundleSpec, FieldSpec } from './bundle-spec.js';
import { labelled } from './labelled.js';

/** Values that were fetched before, with when. Only ever an optimization. */
export interface BundleCache {
  get(key: string): { readonly value: unknown; readonly at: number } | undefined;
  put(key: string, value: unknown, at: number): void;
}

/** The roles of the caller. */
export interface Principal {
  readonly roles: readonly string[];
}

/** A field of a bundle, with its value or why it is missing. */
export interface BundleField {
  readonly name: string;
  readonly source: string;
  readonly authority: Authority;
  readonly stable: boolean;
  readonly state:
    | {
        readonly kind: 'there';
        readonly value: unknown;
        /** When it was fetched, in milliseconds, and how long ago that is. */
        readonly at: number;
        readonly ageS: number;
        readonly substituted: boolean;
      }
    /** Said, never silently left out. */
    | { readonly kind: 'missing'; readonly because: string }
    | { readonly kind: 'not-authorised' };
  /** Another field says something else about the same fact, with better authority. */
  readonly overruledBy?: string;
}

/** The data that was fetched for one kind of work. */
export interface Bundle {
  readonly workflow: string;
  readonly version: string;
  readonly entity: string;
  /** Stable ones first. */
  readonly fields: readonly BundleField[];
}

const RANK: Readonly<Record<Authority, number>> = { authoritative: 0, contextual: 1, inferred: 2 };

/** Options of `assembleBundle`. */
export interface AssembleOptions {
  readonly entity: string;
  readonly principal: Principal;
  readonly cache?: BundleCache;
  /** Fields fetched at one time. 8 where absent. */
  readonly width?: number;
}

/**
 * Fetches everything a workflow needs before any model is asked. What the principal may not see is not fetched at all; a
 * value past its time is fetched again; a missing one is treated as its specification says, and `halt` ends it here, with
 * EFFECT_FAILED, before a token is spent.
 */
export async function assembleBundle(run: Run, spec: BundleSpec, options: AssembleOptions): Promise<Bundle> {
  const { width = 8 } = options;
  const settled = await run.all(
    spec.fields.map((field) => (branch: Run) => assembled(branch.scope(field.name), field, spec, options)),
    width,
  );
  const fields = settled.map((result) => {
    if (!result.ok) throw result.error;
    return result.value;
  });
  const ordered = [...fields.filter(({ stable }) => stable), ...fields.filter(({ stable }) => !stable)];
  return { workflow: spec.workflow, version: spec.version, entity: options.entity, fields: overruled(ordered, spec) };
}

async function assembled(
  run: Run,
  field: FieldSpec,
  spec: BundleSpec,
  { entity, principal, cache }: AssembleOptions,
): Promise<BundleField> {
  const { name, source, authority, stable = false } = field;
  const base = { name, source, authority, stable };
  if (!field.auth.some((role) => principal.roles.includes(role))) return { ...base, state: { kind: 'not-authorised' } };
  const key = JSON.stringify([spec.workflow, spec.version, name, stable ? '' : entity]);
  const fetched = await run.step(
    'fetch',
    { field: name, entity },
    async (_input, { signal }): Promise<Fetched> => {
      const known = cache?.get(key);
      const now = run.now();
      if (known !== undefined && field.ttlS > 0 && now - known.at <= field.ttlS * 1000)
        return { ...known, there: true };
      return fetchNow(field, { entity, signal }, (value) => cache?.put(key, value, now), now);
    },
    'pure',
  );
  if (!fetched.there) return { ...base, state: missing(field, fetched.because, run.now()) };
  const { value, at } = fetched;
  return { ...base, state: { kind: 'there', value, at, ageS: (run.now() - at) / 1000, substituted: false } };
}

type Fetched =
  | { readonly there: true; readonly value: unknown; readonly at: number }
  | { readonly there: false; readonly because: string };

/** A source that is down counts as a missing value: what then happens is the specification's to say. */
async function fetchNow(
  field: FieldSpec,
  context: { readonly entity: string; readonly signal: AbortSignal },
  keep: (value: unknown) => void,
  at: number,
): Promise<Fetched> {
  try {
    const value = await field.fetch(context);
    if (value === undefined || value === null) return { there: false, because: `${field.source} has no ${field.name}` };
    keep(value);
    return { there: true, value, at };
  } catch (error) {
    if (context.signal.aborted) throw error;
    return { there: false, because: `${field.source} failed: ${(error as Error).message}` };
  }
}

function missing(field: FieldSpec, because: string, at: number): BundleField['state'] {
  const { ifMissing } = field;
  if (ifMissing.action === 'substitute')
    return { kind: 'there', value: ifMissing.value, at, ageS: 0, substituted: true };
  if (ifMissing.action === 'flag') return { kind: 'missing', because };
  throw new FlyballError('EFFECT_FAILED', `The bundle requires ${field.name}, which is missing: ${because}.`, {
    detail: { field: field.name, source: field.source },
  });
}

/** Of values about the same fact that differ, all but the one with the best authority are marked, and all are shown. */
function overruled(fields: readonly BundleField[], spec: BundleSpec): readonly BundleField[] {
  const factOf = new Map(spec.fields.map(({ name, fact }) => [name, fact]));
  return fields.map((field) => {
    const fact = factOf.get(field.name);
    if (fact === undefined || field.state.kind !== 'there') return field;
    const value = JSON.stringify(field.state.value);
    const better = fields.find(
      (other) =>
        factOf.get(other.name) === fact &&
        RANK[other.authority] < RANK[field.authority] &&
        other.state.kind === 'there' &&
        JSON.stringify(other.state.value) !== value,
    );
    return better === undefined ? field : { ...field, overruledBy: better.name };
  });
}

/** The bundle as a model reads it: each value with its source, authority and age; what is not there is said. */
export function bundleText({ fields }: Bundle): string {
  return fields.map(shownField).join('\n');
}

/** The age of what is shared with others is a date: in seconds it would differ each time, and nobody could cache the text. */
function shownField({ name, source, authority, stable, state, overruledBy }: BundleField): string {
  if (state.kind === 'not-authorised') return `[${name}: not shown, the rights for it are missing]`;
  if (state.kind === 'missing') return `[${name}: not known, ${state.because}]`;
  const text = typeof state.value === 'string' ? state.value : JSON.stringify(state.value);
  const fetched = stable ? { since: new Date(state.at).toISOString() } : { age: `${Math.round(state.ageS)} s` };
  const age = state.substituted ? { age: 'a stand-in' } : fetched;
  const attributes = { name, source, authority, ...age, ...(overruledBy === undefined ? {} : { overruledBy }) };
  return labelled('field', attributes, text);
}

/**
 * Whether a task that works on a bundle may retrieve something further. A field of the bundle is not fetched twice; a need
 * that the specification does not know is allowed and noted, so that the next version can hold it.
 */
export function furtherNeed(run: Run, bundle: Bundle, need: string): 'in-bundle' | 'gap' {
  if (bundle.fields.some(({ name }) => name === need)) return 'in-bundle';
  run.note({ kind: 'bundle-gap', workflow: bundle.workflow, version: bundle.version, need });
  return 'gap';
}
