import { isPerson, recommendedVerdictSchema, type Verdict, whyMayNotAnswer } from '../core/approval.js';
import { FlyballError } from '../core/errors.js';
import { check } from '../core/schema.js';
import type { PersonRequest } from './requests.js';

/** Who answers, and what they may do. `'*'` among the scopes stands for all of them. */
export interface Answering {
  readonly by: string;
  readonly scopes: readonly string[];
}

/**
 * The verdict, or a sentence about what is missing: a rejection needs its reason, a modification its value. Whether
 * something is recommended, only the wait knows: it checks again, by the schema that it was asked under.
 */
export async function soundVerdict(verdict: unknown): Promise<Verdict> {
  const checked = await check(recommendedVerdictSchema, verdict);
  if (checked.ok) return checked.value;
  throw new FlyballError('SIGNAL_INVALID', `Nothing was decided: ${checked.problem}.`);
}

/** Nothing is decided by nobody. Whoever calls may not be held to types. */
export function requireAnswering(who: unknown): void {
  const { by, scopes } = (who ?? {}) as Partial<Answering>;
  if (typeof by === 'string' && Array.isArray(scopes)) return;
  throw new FlyballError(
    'INPUT_INVALID',
    'Nothing was decided. Set who decides: { by: "ada", scopes: ["payments:approve"] }, with an empty list for no scopes.',
  );
}

/** One who comes too late is told who was there first, or since when it is over. */
export function requireOpen({ about, status, decision, due }: PersonRequest, now: number): void {
  const why = whyOver({ status, decision, due }, now);
  if (why === undefined) return;
  throw new FlyballError('SIGNAL_UNEXPECTED', `The request about ${about} is closed: ${why} Nothing was changed.`);
}

function whyOver(
  { status, decision, due }: { readonly [K in 'status' | 'decision' | 'due']: PersonRequest[K] | undefined },
  now: number,
): string | undefined {
  switch (status) {
    case 'decided': {
      const what = decision?.verdict === undefined ? 'answered it' : `said ${decision.verdict}`;
      return `${decision?.by ?? 'somebody'} ${what} at ${timeOf(decision?.at ?? 0)}.`;
    }
    case 'timed-out':
      return `its deadline passed at ${timeOf(due ?? 0)}.`;
    case 'withdrawn':
      return 'the run no longer waits for it.';
    default:
      return due !== undefined && now >= due ? `its deadline passed at ${timeOf(due)}.` : undefined;
  }
}

/** The request stays open for somebody who may. */
export function requireEntitled(request: PersonRequest, { by, scopes }: Answering): void {
  const { about } = request;
  if (!isPerson(by))
    throw new FlyballError('DENIED', `${about} can only be decided by an identified person. The request stays open.`);
  const why = whyMayNotAnswer(request, { by, scopes });
  if (why === undefined) return;
  throw new FlyballError('DENIED', `${by} may not decide about ${about}: ${why}. The request stays open.`);
}

export function timeOf(at: number): string {
  return new Date(at).toISOString();
}
