import { type Analysis, analyseScene, MAX_WORK, type Scene, type Support, sceneOf, type Work } from './causal-links.js';
import { findCycle } from './graph.js';
import type { Ordering, Plan } from './plan.js';
import { withOrder } from './reach.js';

/** A plan without conflicts, or why there is none. */
export type Resolved =
  | {
      readonly ok: true;
      readonly plan: Plan;
      readonly added: readonly (Ordering & { readonly because: string })[];
    }
  | { readonly ok: false; readonly problem: string };

/** Orderings that are tried before giving up. */
const TRIES = 500;

/**
 * Adds orderings until no step can come between a maker and whoever relies on it: the step goes after the latter
 * (promotion) or before the former (demotion). Where one choice leads nowhere the other is tried. An ordering that
 * makes a precondition fail for sure, or closes a circle, is no choice.
 */
export function resolveThreats(plan: Plan): Resolved {
  const cycle = findCycle(plan);
  if (cycle !== undefined) return { ok: false, problem: `The steps ${cycle.join(' → ')} wait for each other.` };
  const scene = sceneOf(plan);
  const work = { left: MAX_WORK };
  const first = analyseScene(scene, work);
  if (first.isCut) return { ok: false, problem: TOO_MUCH };
  const tries = { left: TRIES, work, unmet: new Set(first.unmet.map(unmetKey)) };
  const added = search({ scene, added: [] }, first, tries);
  if (added !== undefined) {
    const orderings = [...(plan.orderings ?? []), ...added.map(({ before, after }) => ({ before, after }))];
    return { ok: true, plan: added.length === 0 ? plan : { ...plan, orderings }, added };
  }
  if (work.left < 0) return { ok: false, problem: `${threatText(firstThreat(first))}. ${TOO_MUCH}` };
  const why = tries.left > 0 ? 'neither before nor after them can it go' : `${TRIES} orderings were tried`;
  return { ok: false, problem: `${threatText(firstThreat(first))}, and ${why}.` };
}

const TOO_MUCH = 'There is too much to look at: use fewer conditions, or fewer branches.';

interface Tries {
  left: number;
  readonly work: Work;
  readonly unmet: ReadonlySet<string>;
}

type Added = Extract<Resolved, { ok: true }>['added'];

function search(
  state: { readonly scene: Scene; readonly added: Added },
  analysis: Analysis,
  tries: Tries,
): Added | undefined {
  const threat = firstThreat(analysis);
  if (threat === undefined) return state.added;
  const { rows, indexOf } = state.scene;
  for (const ordering of choices(threat)) {
    const [before = -1, after = -1] = [indexOf.get(ordering.before), indexOf.get(ordering.after)];
    if (rows[before]?.[after] === 1) continue;
    if (tries.left <= 0) return undefined;
    tries.left -= 1;
    const scene = { ...state.scene, rows: withOrder(rows, before, after) };
    const next = analyseScene(scene, tries.work);
    if (next.isCut) return undefined;
    if (next.unmet.some((unmet) => !tries.unmet.has(unmetKey(unmet)))) continue;
    const added = [...state.added, { ...ordering, because: `${threatText(threat)}.` }];
    const found = search({ scene, added }, next, tries);
    if (found !== undefined) return found;
  }
  return undefined;
}

interface Threat {
  readonly support: Support;
  readonly step: string;
}

function firstThreat({ supports }: Analysis): Threat | undefined {
  const support = supports.find(({ threats }) => threats.length > 0);
  const step = support?.threats[0];
  return support === undefined || step === undefined ? undefined : { support, step };
}

function choices({ support, step }: Threat): readonly Ordering[] {
  const promotion = { before: support.for, after: step };
  return support.by === undefined ? [promotion] : [promotion, { before: step, after: support.by }];
}

function threatText(threat: Threat | undefined): string {
  if (threat === undefined) return 'A link is threatened';
  const { support, step } = threat;
  const maker = support.by === undefined ? 'which holds from the start' : `which ${support.by} makes true`;
  return `Step ${step} can undo "${support.condition}", ${maker}, before ${support.for} has relied on it`;
}

function unmetKey({ step, condition }: Analysis['unmet'][number]): string {
  return `${step} ${condition}`;
}

/** Each threat in words, with the steps it is about. */
export function threatsIn(
  analysis: Analysis,
): readonly { readonly message: string; readonly steps: readonly string[] }[] {
  return analysis.supports.flatMap((support) =>
    support.threats.map((step) => ({
      message: `${threatText({ support, step })}.`,
      steps: [...(support.by === undefined ? [] : [support.by]), support.for, step],
    })),
  );
}
