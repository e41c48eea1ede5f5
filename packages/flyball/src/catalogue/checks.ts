import type { Context } from './context.js';
import type { CheckName } from './types.js';

/** Whether a tension is resolved: undefined where the composition does not say. */
export type Check = (context: Context) => boolean | undefined;

const MOST_ATTEMPTS = 5;

/** The checks that tensions name. What one of them cannot see stays information. */
export const checks: Readonly<Record<CheckName, Check>> = {
  'actions-mapped': ({ system: { actions } }) =>
    actions === undefined ? undefined : Object.values(actions).every(({ gate }) => gate !== undefined),
  'schema-measured': ({ system: { servers } }) => servers?.every(({ tokens }) => tokens !== undefined),
  'host-keeps-state': ({ host }) => host.has('V10') && host.has('V12'),
  'examples-last': (context) => variesLast(context),
  'log-boundary-kept': ({ fact }) => not(fact('log-prefix-edited')),
  'samples-together': (context) => isOurs(context, 'R17', ['selfConsistency']), // it asks for all samples at once
  'attempts-capped': ({ placed }) => capped(placed, 'R7', 'maxAttempts'),
  'constraints-rank-first': (context) => isOurs(context, 'S5', ['constraints', 'withConstraints']), // the block says so
  'pad-per-branch': ({ placed }) => inEachBranch(placed, 'K8', 'R9'),
  'workers-bounded': ({ placed }) => capped(placed, 'R4', 'maxIterations', Number.POSITIVE_INFINITY),
  'policy-per-role': ({ system: { agents } }) => {
    const policies = Object.values(agents ?? {}).flatMap(({ policy }) => (policy === undefined ? [] : [policy]));
    return policies.length < 2 ? undefined : new Set(policies).size === policies.length;
  },
  'retries-fit-budget': ({ placed, subject: { budget } }) => {
    const most = Math.max(
      0,
      ...placed.filter(({ ancestors }) => ancestors.length === 0).map(({ use }) => use.predicted.max),
    );
    return budget?.modelCalls === undefined || !Number.isFinite(most) ? undefined : most <= budget.modelCalls;
  },
  'invariants-listed': ({ system: { identityFields } }) =>
    identityFields === undefined ? undefined : identityFields.length > 0,
  'audit-first': ({ present }) => present.has('V3'),
  'cap-has-destination': ({ present }) => present.has('V19'),
  'fan-out-beside': ({ present }) => present.has('O4'),
  'plan-beside': ({ present }) => present.has('R3'),
  'overlay-last': (context) => variesLast(context),
};

const not = (value: boolean | undefined): boolean | undefined => (value === undefined ? undefined : !value);

/** Whether nothing that varies stands before something that is shared. Where nothing varies, nobody said what does. */
export function variesLast({ system: { segments = [] } }: Pick<Context, 'system'>): boolean | undefined {
  const first = segments.findIndex(({ varies }) => varies !== 'never');
  return first < 0 ? undefined : segments.slice(first).every(({ varies }) => varies !== 'never');
}

function capped(placed: Context['placed'], id: string, param: string, most = MOST_ATTEMPTS): boolean | undefined {
  const uses = placed.filter(({ use }) => use.id === id);
  if (uses.length === 0) return undefined;
  return uses.every(({ use }) => {
    const value = use.params[param];
    return typeof value === 'number' && value <= most;
  });
}

/** Whether all of them are made by functions of ours, which do it by construction; of others nobody knows. */
function isOurs({ placed }: Context, id: string, names: readonly string[]): boolean | undefined {
  const uses = placed.filter(({ use }) => use.id === id);
  return uses.length > 0 && uses.every(({ use }) => names.includes(use.name)) ? true : undefined;
}

/** Inside the pattern that branches each branch has its own; around it all branches share one. */
function inEachBranch(placed: Context['placed'], id: string, branching: string): boolean | undefined {
  const own = placed.filter(({ use }) => use.id === id);
  const branches = placed.filter(({ use }) => use.id === branching);
  if (branches.some(({ ancestors }) => ancestors.some((use) => use.id === id))) return false;
  return own.length > 0 && own.every(({ ancestors }) => ancestors.some((use) => use.id === branching))
    ? true
    : undefined;
}
