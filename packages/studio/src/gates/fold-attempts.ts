import type { Entry, EventOf } from '../../../flyball/src/core/events.js';
import { type CommitCourse, commitCoursesOf } from '../../../flyball/src/views/commit-course.js';
import { isInside, pathOf, scopeOf } from '../../../flyball/src/views/paths.js';
import { type Fields, fieldsOf, given, listIn, numberIn, textIn, textsIn } from '../plan/fields.js';
import { type Approval, approvalsOf } from './fold-approvals.js';

export interface Gate {
  readonly gate: string;
  readonly score: number;
  readonly threshold: number;
  readonly passed: boolean;
  readonly note?: string;
}

/** A repair that was made on what an attempt had shown. */
export interface Repair {
  readonly n: number;
  readonly defect: string;
  readonly description: string;
  readonly cause: string;
  readonly strategy: string;
  readonly intensity: number;
  readonly resolved: boolean;
  readonly costUsd: number;
  readonly ms: number;
  readonly why?: string;
}

/** One version of what was made, as VERIFY measured it, and what followed from that. */
export interface Attempt {
  /** Counted from 1. */
  readonly n: number;
  readonly generation: number;
  readonly seq: number;
  readonly iteration: number;
  readonly startedAt: number;
  readonly gates: readonly Gate[];
  readonly confidence?: number;
  readonly disposition?: string;
  readonly risk?: string;
  readonly triggers: readonly string[];
  /** How far the quality is from what is wanted, and what the controller made of that. */
  readonly error?: number;
  readonly control?: string;
  /** The event that VERIFY ended in, with why; absent while it measures. */
  readonly verdict?: string;
  readonly why?: string;
  readonly repairs: readonly Repair[];
  /** What was said between this attempt and the next one: escalations, evidence that was left out. */
  readonly remarks: readonly string[];
  readonly approvals: readonly Approval[];
  /** Prompts of the model calls of its VERIFY: the first of a judge shows what was measured. */
  readonly tips: readonly string[];
}

export interface CommitView {
  readonly course: CommitCourse;
  readonly attempts: readonly Attempt[];
  /** Before anything was made: what the loop expected to need. */
  readonly prediction?: Fields;
}

type Growing = { -readonly [K in keyof Attempt]: Attempt[K] } & {
  readonly repairs: Repair[];
  readonly remarks: string[];
  readonly approvals: Approval[];
  readonly tips: string[];
};

/** The commit loops of a run, each with its attempts. Two loops one inside the other keep their own. */
export function commitsOf(entries: readonly Entry[]): readonly CommitView[] {
  const courses = commitCoursesOf(entries);
  if (courses.length === 0) return [];
  const folds = courses.map((course) => new AttemptFold(course));
  const approvals = new Map(approvalsOf(entries).map((each) => [`${each.generation}.${each.seq}`, each]));
  for (const entry of entries) ownerOf(folds, entry)?.apply(entry, approvals);
  return folds.map((fold) => fold.view());
}

function ownerOf(folds: readonly AttemptFold[], entry: Entry): AttemptFold | undefined {
  const path = placeOf(entry);
  if (path === undefined) return undefined;
  return folds
    .filter(({ course }) => isAfterStart(course, entry) && isInside(path, course.loop))
    .reduce<AttemptFold | undefined>(
      (best, each) => (best === undefined || each.course.loop.length >= best.course.loop.length ? each : best),
      undefined,
    );
}

function isAfterStart(course: CommitCourse, { generation, seq }: Entry): boolean {
  return course.generation === generation && course.seq <= seq;
}

function placeOf({ event }: Entry): string | undefined {
  if (event.type === 'note') return pathOf(event.path);
  if (event.type === 'ask-start' || event.type === 'wait-start') return scopeOf(event.id);
  return undefined;
}

class AttemptFold {
  readonly course: CommitCourse;
  private readonly attempts: Growing[] = [];
  private prediction: Fields | undefined;
  private isVerifying = false;

  constructor(course: CommitCourse) {
    this.course = course;
  }

  apply(entry: Entry, approvals: ReadonlyMap<string, Approval>): void {
    const { event, generation, seq } = entry;
    const last = this.attempts.at(-1);
    if (event.type === 'note') this.told(entry as Entry<EventOf<'note'>>, last);
    if (event.type === 'ask-start' && this.isVerifying) last?.tips.push(event.tip);
    const approval = approvals.get(`${generation}.${seq}`);
    if (approval !== undefined) last?.approvals.push(approval);
  }

  view(): CommitView {
    return { course: this.course, attempts: this.attempts, ...given('prediction', this.prediction) };
  }

  private told(entry: Entry<EventOf<'note'>>, last: Growing | undefined): void {
    const { event: note } = entry;
    const { kind, ...fields } = note.event as Fields;
    switch (kind) {
      case 'phase':
        if (pathOf(note.path) === this.course.loop) this.moved(entry, fields, last);
        break;
      case 'prediction':
        this.prediction ??= fields;
        break;
      case 'control':
        if (last !== undefined) Object.assign(last, steered(fields));
        break;
      case 'exit':
        if (last !== undefined) Object.assign(last, exitOf(fields));
        break;
      case 'repair':
        last?.repairs.push(repairOf(fields));
        break;
      case 'escalation':
        last?.remarks.push(`escalated: ${textIn(fields, 'how') ?? '?'}, because ${textIn(fields, 'why') ?? '?'}`);
        break;
      case 'repair-loop':
        last?.remarks.push(`repairs repeat themselves: ${textIn(fields, 'wayOut') ?? 'trying another approach'}`);
        break;
      case 'evidence-bounded':
        last?.remarks.push(`${numberIn(fields, 'dropped') ?? 0} pieces of evidence were left out`);
        break;
      default:
        break;
    }
  }

  private moved({ generation, seq, at }: Entry, fields: Fields, last: Growing | undefined): void {
    const from = textIn(fields, 'from');
    const to = textIn(fields, 'phase');
    const iteration = numberIn(fields, 'iteration') ?? 0;
    if (from === 'VERIFY' && last !== undefined) {
      Object.assign(last, { ...given('verdict', textIn(fields, 'event')), ...given('why', textIn(fields, 'why')) });
    }
    this.isVerifying = to === 'VERIFY';
    if (to !== 'VERIFY') return;
    const place = { n: this.attempts.length + 1, generation, seq, iteration, startedAt: at };
    this.attempts.push({ ...place, gates: [], triggers: [], repairs: [], remarks: [], approvals: [], tips: [] });
  }
}

function steered(fields: Fields): Partial<Attempt> {
  const decision = fieldsOf(fields['decision']);
  const worst = textIn(decision, 'worst');
  const kind = textIn(decision, 'kind');
  return {
    ...given('error', numberIn(fields, 'error')),
    ...given('control', kind === undefined ? undefined : worst === undefined ? kind : `${kind}, ${worst} is worst`),
  };
}

function exitOf(fields: Fields): Partial<Attempt> {
  return {
    gates: listIn(fields, 'gates').map((gate) => gateOf(fieldsOf(gate))),
    triggers: textsIn(fields, 'triggers'),
    ...given('confidence', numberIn(fields, 'confidence')),
    ...given('disposition', textIn(fields, 'disposition')),
    ...given('risk', textIn(fields, 'risk')),
  };
}

function gateOf(fields: Fields): Gate {
  return {
    gate: textIn(fields, 'gate') ?? '?',
    score: numberIn(fields, 'score') ?? 0,
    threshold: numberIn(fields, 'threshold') ?? 0,
    passed: fields['passed'] === true,
    ...given('note', textIn(fields, 'note')),
  };
}

function repairOf(fields: Fields): Repair {
  return {
    n: numberIn(fields, 'n') ?? 0,
    defect: textIn(fields, 'defect') ?? '',
    description: textIn(fields, 'description') ?? '',
    cause: textIn(fields, 'cause') ?? '',
    strategy: textIn(fields, 'strategy') ?? '',
    intensity: numberIn(fields, 'intensity') ?? 0,
    resolved: fields['resolved'] === true,
    costUsd: numberIn(fields, 'costUsd') ?? 0,
    ms: numberIn(fields, 'ms') ?? 0,
    ...given('why', textIn(fields, 'why')),
  };
}
