import { passOver } from '../core/by-kind.js';
import type { Delegate } from '../core/delegates.js';
import { FlyballError } from '../core/errors.js';
import type { AskKind, RollbackKind } from '../core/event-kinds.js';
import type { EffectId, EndEvent, Entry, EventOf, RunEvent } from '../core/events.js';
import { loopIn, markIn, type PrivateMark } from '../core/private-marks.js';
import { type Instruction, newRunState, type Rejection, type RunState, rejectionIn } from '../core/run-state.js';
import { type StartedRun, startedAfter } from '../core/started-runs.js';

/** The state with which the code of these entries began: that of a new run, or a snapshot. */
export function stateAtStart(first: EventOf<'run-start' | 'generation-start'>): RunState {
  if (first.type === 'generation-start') return first.state;
  return first.fork?.state ?? newRunState(first.subject);
}

/** What a run knows about itself after these entries, which begin with a start. */
export function stateAfter(entries: readonly Pick<Entry, 'event' | 'at'>[]): RunState {
  const first = entries[0]?.event;
  if (first?.type !== 'run-start' && first?.type !== 'generation-start')
    throw new FlyballError('JOURNAL_CORRUPT', 'The journal does not begin with the start of a run or of a generation.');
  const fold = new StateFold(stateAtStart(first));
  for (const entry of entries) fold.observe(entry);
  return fold.state();
}

/**
 * The state of a run, folded from its journal entry by entry: from the recorded ones when it is loaded, and from each new
 * one as it is written. Ends of a fork's parent count like its own, up to the snapshot that its own part begins with.
 */
export class StateFold {
  private start: RunState;
  private calledTools = new Map<string, number>();
  private triedTools = new Set<string>();
  private instructions: Instruction[] = [];
  private pins = new Map<string, unknown>();
  private marks = new Map<string, PrivateMark>();
  private loops = new Set<string>();
  private delegates = new Map<EffectId, Delegate>();
  private rejections = new Map<string, Rejection>();
  private askers = new Set<string>();
  /** Waits that are open for signals: their ends do not repeat what they were. */
  private readonly listening = new Set<EffectId>();
  /** What a no would stand against, by the gate that asks: its end does not repeat it. */
  private readonly proposed = new Map<EffectId, readonly string[]>();
  /** Tools of calls under way, by effect: their ends do not repeat the name. */
  private readonly underWay = new Map<EffectId, string>();
  private startedRuns = new Map<string, StartedRun>();
  private best: RunState['best'] = null;
  liveFork: RunState['liveFork'] = 'undecided';

  constructor(start: RunState) {
    this.start = start;
    this.begin(start);
  }

  observe({ event, at }: { readonly event: RunEvent; readonly at: number }): void {
    switch (event.type) {
      case 'run-start':
        if (event.fork !== undefined) this.begin(event.fork.state);
        this.askers.add(event.subject);
        this.startedBy(event.starter);
        return;
      case 'intent':
        if (event.of === 'call') this.underWay.set(event.id, event.name);
        return;
      case 'complete':
        this.askedToo(event.askers);
        this.charge(event);
        return this.count(event);
      case 'abort':
        return this.count(event);
      case 'redirect':
        this.instructions.push({ by: event.by, text: event.text });
        this.askers.add(event.by);
        return;
      case 'wait-start':
        if (event.kind === 'signal') this.listening.add(event.id);
        if (event.acts !== undefined) this.proposed.set(event.id, event.acts);
        return;
      case 'wait-end':
        return this.hear(event, at);
      case 'pin':
        this.pins.set(event.name, event.value);
        return;
      case 'best':
        if (event.level === '') this.best = { value: event.value };
        return;
      case 'note':
        return this.read(event);
      case 'spawn-start':
      case 'spawn-end':
        return this.delegated(event);
      default: // says nothing about the run as a whole
        return passOver<
          | AskKind
          | 'slice-change'
          | RollbackKind
          | 'generation-start'
          | 'generation-end'
          | 'attempt-start'
          | 'run-resume'
          | 'run-pause'
          | 'run-end'
          | 'call-start'
          | 'doubt'
          | 'wait-close'
          | 'sleep-start'
          | 'sleep-end'
          | 'post'
          | 'trip'
          | 'cancel'
          | 'stuck'
          | 'scope-start'
          | 'scope-end'
        >(event);
    }
  }

  pinned(name: string): { readonly value: unknown } | undefined {
    return this.pins.has(name) ? { value: this.pins.get(name) } : undefined;
  }

  /** The no that stands against an act. */
  rejected(act: string): Rejection | undefined {
    return this.rejections.get(act);
  }

  get hasRejections(): boolean {
    return this.rejections.size > 0;
  }

  /** What the books say of a run that was started here and may spend more. */
  started(id: string): StartedRun | undefined {
    return this.startedRuns.get(id);
  }

  /** The best that the run was told of so far. */
  get bestSoFar(): RunState['best'] {
    return this.best;
  }

  /** Who asked for what the run does. */
  get askedBy(): readonly string[] {
    return [...this.askers];
  }

  /** With what the generation had spent and left to undo when it began: who ends it knows what came since. */
  state(): RunState {
    return {
      subject: this.start.subject,
      spent: this.start.spent,
      autonomySpent: this.start.autonomySpent,
      toUndo: this.start.toUndo,
      calledTools: Object.fromEntries(this.calledTools),
      triedTools: [...this.triedTools],
      instructions: [...this.instructions],
      liveFork: this.liveFork,
      rejections: Object.fromEntries(this.rejections),
      askers: [...this.askers],
      pins: Object.fromEntries(this.pins),
      privateMarks: [...this.marks.values()],
      loops: [...this.loops],
      delegates: Object.fromEntries(this.delegates),
      startedRuns: Object.fromEntries(this.startedRuns),
      best: this.best,
    };
  }

  private begin(state: RunState): void {
    this.start = state;
    this.proposed.clear(); // what its parent asked is not asked here
    this.calledTools = new Map(Object.entries(state.calledTools));
    this.triedTools = new Set(state.triedTools);
    this.instructions = [...state.instructions];
    this.liveFork = state.liveFork;
    this.rejections = new Map(Object.entries(state.rejections));
    this.askers = new Set(state.askers);
    this.pins = new Map(Object.entries(state.pins));
    this.marks = new Map(state.privateMarks.map((mark) => [JSON.stringify(mark), mark]));
    this.loops = new Set(state.loops);
    this.delegates = new Map(Object.entries(state.delegates));
    // the budgets of children of an earlier generation are closed: the run itself keeps their books
    this.startedRuns = new Map(Object.entries(state.startedRuns).map(([id, one]) => [id, { ...one, at: '' }]));
    this.best = state.best;
  }

  private charge({ spent = {}, possibly = {}, ofRun }: EventOf<'complete'>): void {
    if (ofRun === undefined) return;
    const after = startedAfter(this.startedRuns.get(ofRun.id), { spent, possibly, ofRun });
    if (after === undefined) this.startedRuns.delete(ofRun.id);
    else this.startedRuns.set(ofRun.id, after);
  }

  /** A no stands for what depends on it too, and whoever asked for a run asked for those that it starts. */
  private startedBy(starter: EventOf<'run-start'>['starter']): void {
    this.askedToo(starter?.askers);
    for (const [act, no] of Object.entries(starter?.rejections ?? {})) this.rejections.set(act, no);
  }

  private askedToo(people: readonly string[] = []): void {
    for (const one of people) this.askers.add(one);
  }

  private count(end: Extract<EndEvent, { readonly type: 'complete' | 'abort' }>): void {
    const name = this.underWay.get(end.id) ?? (end.of === 'call' ? end.name : undefined);
    this.underWay.delete(end.id);
    if (name === undefined || (end.type === 'abort' && end.ran !== true)) return;
    this.triedTools.add(name);
    if (end.type === 'complete') this.calledTools.set(name, (this.calledTools.get(name) ?? 0) + 1);
  }

  /** Only those under way: what came from one that has ended is not in the journal of a later fork. */
  private delegated(event: EventOf<'spawn-start' | 'spawn-end'>): void {
    if (event.type === 'spawn-end') this.delegates.delete(event.id);
    else if (event.tool !== undefined) this.delegates.set(event.id, { path: event.path, tool: event.tool });
  }

  private hear(end: EventOf<'wait-end'>, at: number): void {
    const no = rejectionIn({ ...end, at });
    if (no !== undefined) for (const act of this.proposed.get(end.id) ?? []) this.rejections.set(act, no);
    this.proposed.delete(end.id);
    if (end.id.endsWith('!live')) this.liveFork = isApproval(end.payload) ? 'approved' : 'rejected';
    if (this.listening.delete(end.id)) this.askedToo(end.askers ?? (end.from === undefined ? [] : [end.from]));
  }

  private read(note: EventOf<'note'>): void {
    const mark = markIn(note);
    if (mark !== undefined) this.marks.set(JSON.stringify(mark), mark);
    const loop = loopIn(note);
    if (loop !== undefined) this.loops.add(loop);
  }
}

function isApproval(payload: unknown): boolean {
  return (payload as { readonly verdict?: unknown } | undefined)?.verdict === 'approve';
}
