import type { Effect } from '../../../flyball/src/views/effects.js';
import { isInside } from '../../../flyball/src/views/paths.js';
import { type Fields, fieldsOf, given, listIn, textIn, textsIn } from './fields.js';
import { type CallInStep, callIn, isEnd, type StepEnd, type StepState, stateOf } from './step-state.js';

/** A step as the plan has it, and what has become of it so far. */
export interface StepView {
  readonly id: string;
  readonly description: string;
  readonly type: 'tool' | 'reasoning';
  readonly expected: string;
  readonly mode: string;
  readonly dependsOn: readonly string[];
  readonly state: StepState;
  /** Tools that it has to call, and the calls that count for each. */
  readonly required: readonly { readonly tool: string; readonly satisfiedBy: readonly string[] }[];
  readonly calls: readonly CallInStep[];
  readonly result: string;
  readonly attempts: number;
  readonly why?: string;
  /** What was said about it on the way: asked again, stood in for, approved. */
  readonly remarks: readonly string[];
  readonly startedAt?: number;
  readonly endedAt?: number;
  /** Scope of its last execution. */
  readonly scope?: string;
}

export interface PlanEdge {
  readonly from: string;
  readonly to: string;
  /** `needs`: a dependency. `order`: only after it. `if`, `if-not`: on a side of a branch. */
  readonly kind: 'needs' | 'order' | 'if' | 'if-not';
  readonly label?: string;
}

export interface PlanRevisionView {
  readonly version: number;
  readonly because: string;
  readonly added: readonly string[];
  readonly dropped: readonly string[];
  readonly edited: readonly string[];
}

export interface PlanView {
  readonly key: string;
  readonly scope: string;
  readonly goal: string;
  readonly shape: string;
  readonly version: number;
  readonly status: 'drafted' | 'running' | 'completed' | 'failed';
  readonly why?: string;
  readonly steps: readonly StepView[];
  readonly edges: readonly PlanEdge[];
  readonly revisions: readonly PlanRevisionView[];
  /** What the checks of feasibility found in this version. */
  readonly issues: readonly { readonly severity: string; readonly message: string }[];
}

export interface GrowingStep {
  scope?: string;
  startedAt?: number;
  endedAt?: number;
  end?: StepEnd;
  isRunning: boolean;
  isWaiting: boolean;
  failedBefore: boolean;
  readonly remarks: string[];
}

export interface GrowingPlan {
  readonly key: string;
  readonly generation: number;
  /** Where it was drafted: a new version of a draft is noted in the same place. */
  draftedIn: string;
  /** Where it is carried out; a commit loop may begin it a second time elsewhere. */
  runIn: string | undefined;
  plan: Fields;
  hashes: Set<string>;
  version: number;
  status: PlanView['status'];
  why?: string;
  issues: PlanView['issues'];
  readonly steps: Map<string, GrowingStep>;
  readonly revisions: PlanRevisionView[];
  readonly decided: Map<string, boolean>;
}

export function fresh(): GrowingStep {
  return { isRunning: false, isWaiting: false, failedBefore: false, remarks: [] };
}

export function branchKey(at: string, observation: string): string {
  return JSON.stringify([at, observation]);
}

export function viewOf(plan: GrowingPlan, calls: readonly Effect[]): PlanView {
  const steps = listIn(plan.plan, 'steps').map((step) => stepView(fieldsOf(step), plan, calls));
  return {
    key: plan.key,
    scope: plan.runIn ?? plan.draftedIn,
    goal: textIn(plan.plan, 'goal') ?? '',
    shape: textIn(plan.plan, 'shape') ?? 'ordered',
    version: plan.version,
    status: plan.status,
    ...given('why', plan.why),
    steps: [...steps, ...droppedFrom(plan, steps)],
    edges: edgesOf(plan.plan, steps, plan.decided),
    revisions: plan.revisions,
    issues: plan.issues,
  };
}

/** Steps that came to something and are no longer in the plan: what happened stays visible. */
function droppedFrom(plan: GrowingPlan, kept: readonly StepView[]): readonly StepView[] {
  const ids = new Set(kept.map(({ id }) => id));
  return [...plan.steps].flatMap(([id, step]) =>
    ids.has(id) || step.end === undefined ? [] : [{ ...stepView({ id }, plan, []), dependsOn: [] }],
  );
}

function stepView(fields: Fields, plan: GrowingPlan, calls: readonly Effect[]): StepView {
  const id = textIn(fields, 'id') ?? '';
  const grown = plan.steps.get(id) ?? fresh();
  const { scope, end, remarks, startedAt, endedAt } = grown;
  const inside =
    scope === undefined
      ? []
      : calls.filter((call) => call.generation === plan.generation && isInside(call.scope, scope)).map(callIn);
  return {
    id,
    description: textIn(fields, 'description') ?? '',
    type: fields['stepType'] === 'tool' ? 'tool' : 'reasoning',
    expected: textIn(fields, 'expectedOutcome') ?? '',
    mode: textIn(fields, 'toolValidationMode') ?? '',
    dependsOn: textsIn(fields, 'dependsOn'),
    state: stateOf({ ...grown, isChecked: fields['stepType'] === 'tool' }),
    required: textsIn(fields, 'requiredTools').map((tool) => ({
      tool,
      satisfiedBy: inside.filter((call) => call.tool === tool && call.status === 'ok').map(({ effect }) => effect),
    })),
    calls: inside,
    result: end?.result ?? '',
    attempts: end?.attempts ?? (isEnd(end) ? 0 : startedAt === undefined ? 0 : 1),
    ...given('why', end?.why),
    remarks,
    ...given('startedAt', startedAt),
    ...given('endedAt', endedAt),
    ...given('scope', scope),
  };
}

function edgesOf(plan: Fields, steps: readonly StepView[], decided: ReadonlyMap<string, boolean>): readonly PlanEdge[] {
  const needs = steps.flatMap(({ id, dependsOn }): PlanEdge[] =>
    dependsOn.map((from) => ({ from, to: id, kind: 'needs' })),
  );
  const inOrder =
    plan['shape'] === 'ordered'
      ? steps.slice(1).map(({ id }, index): PlanEdge => ({ from: steps[index]?.id ?? '', to: id, kind: 'order' }))
      : listIn(plan, 'orderings').map((each): PlanEdge => {
          const { before, after } = fieldsOf(each);
          return { from: String(before), to: String(after), kind: 'order' };
        });
  const branches = listIn(plan, 'branches').flatMap((each) => branchEdges(fieldsOf(each), decided));
  const seen = new Set<string>();
  // one edge for two steps, the one that says most
  return [...branches, ...needs, ...inOrder].filter(({ from, to }) => {
    const isFirst = !seen.has(`${from} ${to}`);
    seen.add(`${from} ${to}`);
    return isFirst;
  });
}

function branchEdges(branch: Fields, decided: ReadonlyMap<string, boolean>): readonly PlanEdge[] {
  const from = textIn(branch, 'at') ?? '';
  const observation = textIn(branch, 'observation') ?? '';
  const holds = decided.get(branchKey(from, observation));
  const said = holds === undefined ? '' : holds ? ' (it does)' : ' (it does not)';
  const side = (kind: 'if' | 'if-not', ids: readonly string[]): PlanEdge[] =>
    ids.map((to) => ({ from, to, kind, label: `${kind === 'if' ? 'if' : 'unless'} ${observation}${said}` }));
  return [...side('if', textsIn(branch, 'ifSo')), ...side('if-not', textsIn(branch, 'ifNot'))];
}
