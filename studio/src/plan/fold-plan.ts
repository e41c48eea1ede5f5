import type { Entry, EventOf } from '../../../src/core/events.js';
import { type Effect, EffectFold } from '../../../src/views/effects.js';
import { isInside, pathOf } from '../../../src/views/paths.js';
import { type Fields, fieldsOf, given, listIn, numberIn, textIn, textsIn } from './fields.js';
import { type CallInStep, callIn, isEnd, type StepEnd, type StepState, stateOf, stepEnd } from './step-state.js';

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

/** The plans of a run in the order in which they were first written down. */
export function plansOf(entries: readonly Entry[]): readonly PlanView[] {
  const fold = new PlanFold();
  for (const entry of entries) fold.apply(entry);
  return fold.plans();
}

interface GrowingStep {
  scope?: string;
  startedAt?: number;
  endedAt?: number;
  end?: StepEnd;
  isRunning: boolean;
  isWaiting: boolean;
  failedBefore: boolean;
  readonly remarks: string[];
}

interface GrowingPlan {
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

class PlanFold {
  private readonly growing: GrowingPlan[] = [];
  private readonly effects = new EffectFold();

  apply(entry: Entry): void {
    const effect = this.effects.apply(entry);
    const { event } = entry;
    if (event.type === 'note') this.told(entry as Entry<EventOf<'note'>>);
    if (effect?.verb === 'wait') this.waited(effect);
  }

  plans(): readonly PlanView[] {
    const calls = this.effects.all().filter(({ verb }) => verb === 'call');
    return this.growing.map((plan) => viewOf(plan, calls));
  }

  private told(entry: Entry<EventOf<'note'>>): void {
    const { event: note, at } = entry;
    const fields = note.event as Fields;
    const path = pathOf(note.path);
    switch (note.event.kind) {
      case 'plan':
        return this.drawn(entry, path, fields);
      case 'plan-change':
        return void this.planAround(path, entry.generation)?.revisions.push(revisionOf(fields));
      case 'plan-start':
        return this.started(path, fields);
      case 'plan-end':
        return this.ended(path, fields);
      case 'step-start':
        return this.change(path, fields, 'step', (step) => {
          if (step.end?.status === 'failed') step.failedBefore = true;
          Object.assign(step, { scope: path, startedAt: at, isRunning: true, isWaiting: false });
          delete step.end;
          delete step.endedAt;
        });
      case 'step-end':
        return this.change(path, fields, 'id', (step) => {
          Object.assign(step, { end: stepEnd(fields), endedAt: at, isRunning: false, isWaiting: false });
        });
      case 'step-validation':
        return this.change(path, fields, 'step', (step) => step.remarks.push(validated(fields)));
      case 'step-approval':
        return this.change(path, fields, 'step', (step) => {
          step.isWaiting = false;
          step.remarks.push(`approval: ${textIn(fields, 'verdict') ?? 'unknown'}`);
        });
      case 'branch':
        return this.branched(path, fields);
      case 'compensation':
        return this.change(path, fields, 'step', (step) => {
          step.remarks.push(`${fields['ok'] === true ? 'taken back' : 'not taken back'} by ${textIn(fields, 'tool')}`);
        });
      default:
        return undefined;
    }
  }

  private drawn({ generation, seq }: Entry, path: string, fields: Fields): void {
    const version = numberIn(fields, 'version') ?? 1;
    const known = version > 1 ? this.planAround(path, generation) : undefined;
    const plan = known ?? this.added(`${generation}.${seq}`, generation, path);
    plan.plan = fieldsOf(fields['plan']);
    plan.version = version;
    plan.hashes.add(textIn(fields, 'hash') ?? '');
    plan.issues = listIn(fieldsOf(fields['validation']), 'issues').map((issue) => {
      const { severity, message } = fieldsOf(issue);
      return { severity: String(severity ?? 'warning'), message: String(message ?? '') };
    });
    for (const id of stepIds(plan.plan)) plan.steps.set(id, replanned(plan.steps.get(id)));
  }

  private added(key: string, generation: number, path: string): GrowingPlan {
    const plan: GrowingPlan = {
      ...{ key, generation, draftedIn: path, runIn: undefined, plan: {}, hashes: new Set<string>(), version: 1 },
      ...{ status: 'drafted', issues: [], steps: new Map(), revisions: [], decided: new Map() },
    };
    this.growing.push(plan);
    return plan;
  }

  /** The hash says which plan begins; what is left of one that was begun before has a hash that nobody noted. */
  private started(path: string, fields: Fields): void {
    const hash = textIn(fields, 'hash') ?? '';
    const plan = this.growing.findLast((each) => each.hashes.has(hash)) ?? this.growing.at(-1);
    if (plan === undefined) return;
    plan.runIn = path;
    plan.status = 'running';
    delete plan.why;
  }

  private ended(path: string, fields: Fields): void {
    const plan = this.growing.findLast(({ runIn }) => runIn === path);
    if (plan === undefined) return;
    plan.status = fields['completed'] === true ? 'completed' : 'failed';
    const why = textIn(fields, 'why');
    if (why !== undefined) plan.why = why;
    for (const step of plan.steps.values()) step.isRunning = false;
  }

  private branched(path: string, fields: Fields): void {
    const key = branchKey(textIn(fields, 'at') ?? '', textIn(fields, 'observation') ?? '');
    this.planAround(path)?.decided.set(key, fields['holds'] === true);
  }

  /** Somebody is asked whether the step may be done: its scope is named in the question. */
  private waited({ name, status }: Effect): void {
    if (!name.startsWith('approve-step:')) return;
    const scope = pathOf(name.slice('approve-step:'.length).replace(/\.\d+$/, ''));
    for (const [id, step] of this.planAround(scope)?.steps ?? [])
      if (scope.endsWith(`-${id.replaceAll(/[^\w-]+/g, '-').slice(0, 40)}`)) step.isWaiting = status === 'open';
  }

  private change(path: string, fields: Fields, name: 'id' | 'step', make: (step: GrowingStep) => void): void {
    const plan = this.planAround(path);
    const id = textIn(fields, name);
    if (plan === undefined || id === undefined) return;
    const step = plan.steps.get(id) ?? fresh();
    plan.steps.set(id, step);
    make(step);
  }

  /** The plan that is carried out around a scope, the innermost and latest one first. */
  private planAround(path: string, generation?: number): GrowingPlan | undefined {
    const plans = this.growing.filter((plan) => generation === undefined || plan.generation === generation);
    const running = plans
      .filter(({ runIn }) => runIn !== undefined && isInside(path, runIn))
      .reduce<GrowingPlan | undefined>((best, each) => (deeper(each, best) ? each : best), undefined);
    return running ?? plans.findLast(({ draftedIn }) => isInside(path, draftedIn));
  }
}

function deeper(one: GrowingPlan, than: GrowingPlan | undefined): boolean {
  return than === undefined || (one.runIn ?? '').length >= (than.runIn ?? '').length;
}

function fresh(): GrowingStep {
  return { isRunning: false, isWaiting: false, failedBefore: false, remarks: [] };
}

/** What is done stays done; all else of a new version is to be carried out, again where it was tried before. */
function replanned(step: GrowingStep | undefined): GrowingStep {
  if (step === undefined) return fresh();
  if (step.end === undefined || step.end.status === 'done') return step;
  return { ...fresh(), failedBefore: step.failedBefore || step.end.status === 'failed', remarks: step.remarks };
}

function stepIds(plan: Fields): readonly string[] {
  return listIn(plan, 'steps').flatMap((step) => textIn(fieldsOf(step), 'id') ?? []);
}

function revisionOf(fields: Fields): PlanRevisionView {
  const changes = listIn(fields, 'changes').map(fieldsOf);
  const idsOf = (kind: string): readonly string[] =>
    changes.flatMap((change) =>
      change['change'] === kind ? (textIn(change, 'id') ?? textIn(fieldsOf(change['step']), 'id') ?? []) : [],
    );
  return {
    version: numberIn(fields, 'version') ?? 0,
    because: textIn(fields, 'because') ?? '',
    added: idsOf('added'),
    dropped: idsOf('cancelled'),
    edited: idsOf('edited'),
  };
}

function validated(fields: Fields): string {
  const missing = textsIn(fields, 'missing').join(', ');
  switch (textIn(fields, 'verdict')) {
    case 'enforced':
      return `asked again: ${missing} was not called`;
    case 'warned':
      return `let pass with a warning: ${missing} was not called`;
    case 'stood-in':
      return 'a person or a simulation stood in for a tool';
    default:
      return `not verified: ${textIn(fields, 'why') ?? missing}`;
  }
}

function branchKey(at: string, observation: string): string {
  return JSON.stringify([at, observation]);
}

function viewOf(plan: GrowingPlan, calls: readonly Effect[]): PlanView {
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
