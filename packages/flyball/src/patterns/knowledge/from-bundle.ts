import { append } from '../../core/prompt.js';
import type { Agent, Entered } from '../../core/run.js';
import type { Session } from '../../core/session.js';
import { checkCounts, checkGiven } from '../../kit/options.js';
import { pattern } from '../../kit/pattern.js';
import { askOnce, runPart } from '../../kit/seat.js';
import { assembleBundle, type Bundle, type BundleCache, bundleText } from '../../retrieval/bundle.js';
import { type BundleSpec, defineBundle } from '../../retrieval/bundle-spec.js';
import { type Described, isSession } from '../use.js';
import { wishing } from './material.js';

/** Who and what takes part in `fromBundle`. */
export interface FromBundleParts<O> {
  readonly spec: BundleSpec;
  /** Who works with it: a session reads it as text, an agent gets it as a value. */
  readonly worker: Session<O> | Agent<Bundle, O>;
  /** Values that were fetched before. */
  readonly cache?: BundleCache;
}

/** Options of `fromBundle`. */
export interface FromBundleOptions {
  /** Whose rights it works with: a field that none of these roles may see is not fetched. */
  readonly roles: readonly string[];
  /** Fields that are fetched at one time. */
  readonly width?: number;
}

const WORK =
  'Everything you need to know is given, each field with its source, its authority and its age. Where two differ, the one with the better authority counts. What is not known is said to be not known: do not guess it.';

/**
 * Collects everything a workflow needs before anyone thinks.
 *
 * Model calls: `worker`. Fields are fetched side by side, without a model; one that cannot be done without ends the run
 * before a token is spent. What is the same for many entities comes first, where providers cache it. Not where nobody can
 * say in advance what is needed: `adaptiveRag` decides it question by question.
 *
 * @pattern K13
 * @example
 * ```ts
 * const repair = fromBundle({ spec: repairBundle, worker: mechanic }, { roles: ['workshop'] });
 * ```
 */
export function fromBundle<O>(
  { spec, worker, cache }: FromBundleParts<O>,
  { roles, width = 8 }: FromBundleOptions,
): Described<Agent<{ readonly entity: string }, O>> {
  checkGiven('fromBundle (K13)', { spec, worker, roles });
  checkCounts('fromBundle (K13)', { width });
  const { workflow, version } = defineBundle(spec);
  const about = {
    id: 'K13',
    name: 'fromBundle',
    params: { workflow, version, roles, width },
    parts: { worker },
    calls: { part: 'worker' },
  } as const;
  return pattern(about, async (run: Entered, { entity }: { readonly entity: string }) => {
    const options = { entity, principal: { roles }, width, ...(cache === undefined ? {} : { cache }) };
    const bundle = await assembleBundle(run, spec, options);
    const there = bundle.fields.filter(({ state }) => state.kind === 'there').length;
    run.learned({ fields: bundle.fields.length, missing: bundle.fields.length - there });
    if (!isSession(worker)) return runPart(run, worker as Agent<Bundle, O>, bundle);
    return askOnce(run, wishing(worker as Session<O>, WORK), promptOf(bundle));
  });
}

/** What stays the same ends a prefix that is worth caching. */
function promptOf(bundle: Bundle) {
  const textOf = (stable: boolean): string =>
    bundleText({ ...bundle, fields: bundle.fields.filter((field) => field.stable === stable) });
  const [same, own] = [textOf(true), textOf(false)];
  const of = { role: 'user', owner: 'bundle', trust: 'outside' } as const;
  const prefix =
    same === '' ? undefined : append(undefined, { ...of, content: same, band: 'stable', cache: true, protect: true });
  return append(prefix, { ...of, content: `About ${bundle.entity}:\n${own}` });
}
