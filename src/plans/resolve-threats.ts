import { type Analysis, analyse, type Support } from './causal-links.js';
import { findCycle, orderOf } from './graph.js';
import type { Ordering, Plan } from './plan.js';

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
  const first = analyse(plan);
  const tries = { left: TRIES, unmet: new Set(first.unmet.map(unmetKey)) };
  const found = search({ ok: true, plan, added: [] }, first, tries);
  if (found !== undefined) return found;
  const why = tries.left > 0 ? 'neither before nor after them can it go' : `${TRIES} orderings were tried`;
  return { ok: false, problem: `${threatText(firstThreat(first))}, and ${why}.` };
}

interface Tries {
  left: number;
  readonly unmet: ReadonlySet<string>;
}

type Found = Extract<Resolved, { ok: true }>;

function search(state: Found, analysis: Analysis, tries: Tries): Found | undefined {
  const threat = firstThreat(analysis);
  if (threat === undefined) return state;
  const { before } = orderOf(state.plan);
  for (const ordering of choices(threat)) {
    if (before.get(ordering.before)?.has(ordering.after) === true) continue;
    if (tries.left <= 0) return undefined;
    tries.left -= 1;
    const plan = { ...state.plan, orderings: [...(state.plan.orderings ?? []), ordering] };
    const next = analyse(plan);
    if (next.unmet.some((unmet) => !tries.unmet.has(unmetKey(unmet)))) continue;
    const added = [...state.added, { ...ordering, because: `${threatText(threat)}.` }];
    const found = search({ ok: true, plan, added }, next, tries);
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
