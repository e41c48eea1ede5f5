import type { Entry, EventOf } from '../../../flyball/src/core/events.js';
import { type Effect, EffectFold } from '../../../flyball/src/views/effects.js';
import { isInside, pathOf } from '../../../flyball/src/views/paths.js';
import { type Fields, fieldsOf, listIn, numberIn, textIn, textsIn } from './fields.js';
import {
  branchKey,
  fresh,
  type GrowingPlan,
  type GrowingStep,
  type PlanRevisionView,
  type PlanView,
  viewOf,
} from './plan-view.js';
import { stepEnd } from './step-state.js';

/** The plans of a run in the order in which they were first written down. */
export function plansOf(entries: readonly Entry[]): readonly PlanView[] {
  const fold = new PlanFold();
  for (const entry of entries) fold.apply(entry);
  return fold.plans();
}

/** Takes entries one by one. */
export class PlanFold {
  private readonly growing: GrowingPlan[] = [];
  private readonly effects = new EffectFold();
  private readonly calls = new Set<Effect>();

  apply(entry: Entry): void {
    const effect = this.effects.apply(entry);
    const { event } = entry;
    if (event.type === 'note') this.told(entry as Entry<EventOf<'note'>>);
    if (effect?.verb === 'call') this.calls.add(effect);
    if (effect?.verb === 'wait') this.waited(effect);
  }

  plans(): readonly PlanView[] {
    if (this.growing.length === 0) return [];
    const calls = [...this.calls];
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
          step.remarks.push(`${fields['ok'] === true ? 'undone' : 'not undone'} by ${textIn(fields, 'tool')}`);
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
      return `accepted with a warning: ${missing} was not called`;
    case 'stood-in':
      return 'a person or a simulation replaced a tool';
    default:
      return `not verified: ${textIn(fields, 'why') ?? missing}`;
  }
}
