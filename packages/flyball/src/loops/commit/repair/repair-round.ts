import type { Subject } from '../../../checks/contracts.js';
import type { Run } from '../../../core/run.js';
import type { Session } from '../../../core/session.js';
import type { Defect, ExecutionOutputs } from '../../../core/work.js';
import type { RepairEntry, Strategy } from '../contracts.js';
import { changedOutputs, type Proposal, propose } from './attempt.js';
import { isFeedback } from './feedback.js';
import { avoiding, hasMore, movedWith, type Pending, pendingOf } from './pending.js';
import { type RepairRates, recordRepair } from './rates.js';
import type { RepairInput, RepairParts, RepairResult, RepairSpent } from './repair-contracts.js';
import { type Tried, textsOf } from './repair-memory.js';
import { RepairMeter } from './repair-meter.js';
import { repairNote } from './repair-note.js';
import { chooseStrategy, STRATEGIES, type StrategyChoice } from './strategy.js';
import { hasSameTexts, textOf } from './targets.js';

export interface AttemptSettings {
  readonly session: Session;
  readonly isStronger: boolean;
  readonly isPerturbed: boolean;
}

/** One attempt at a defect, before anybody has looked whether it helped. */
interface Attempted {
  readonly pending: Pending;
  readonly choice: StrategyChoice;
  readonly made: Proposal;
  readonly before: RepairSpent;
}

/** An attempt as the journal has it: the texts are with the round. */
export interface Attempt {
  readonly n: number;
  readonly defect: string;
  readonly strategy: Strategy;
  readonly made: Proposal['kind'];
}

type RoundParts = RepairParts & { readonly radius: number };

/** The state of one round of repairs. Everything in it follows from what `run` answers, so a replay finds the same. */
export class RepairRound {
  outputs: ExecutionOutputs;
  wayOut: number;
  private queue: readonly Pending[];
  /** Nothing stronger is left for these in this round. */
  private stuck: readonly Pending[] = [];
  private rates: RepairRates;
  private askedStronger = false;
  private last: Attempted | undefined;
  /** Defects that were last looked at before something was changed. */
  private stale: ReadonlySet<string> = new Set();
  private readonly entries: RepairEntry[] = [];
  private readonly tried: Tried[] = [];
  private readonly run: Run;
  private readonly parts: RoundParts;
  private readonly given: RepairInput;
  private readonly meter: RepairMeter;

  constructor(run: Run, parts: RoundParts, given: RepairInput) {
    this.run = run;
    this.parts = parts;
    this.given = given;
    this.outputs = given.subject.outputs;
    this.wayOut = given.wayOut;
    this.rates = given.rates;
    this.queue = pendingOf(given);
    this.meter = new RepairMeter(run, { before: given.spent, most: parts.budget });
  }

  open(): readonly Pending[] {
    return this.queue;
  }

  remaining(): readonly Defect[] {
    return [...this.stuck, ...this.queue].map(({ defect, cause }) => ({ ...defect, cause }));
  }

  isSpent(): boolean {
    return this.meter.isSpent();
  }

  hasAskedStronger(): boolean {
    return this.askedStronger || this.given.history.some(({ stronger }) => stronger);
  }

  /** What led into a loop is not tried again in this round. */
  avoidAll(strategies: readonly Strategy[]): void {
    this.queue = this.queue.map((each) => avoiding(each, strategies));
  }

  /** What was repaired for another defect may have removed this one too: looking costs less than repairing. */
  async isGone({ defect }: Pending): Promise<boolean> {
    if (!this.stale.has(defect.id)) return false;
    this.stale = new Set([...this.stale].filter((id) => id !== defect.id));
    const scope = this.run.scope(`look-${this.meter.spent().attempts}-${defect.id}`);
    if (!(await this.parts.verifyDefect(scope, this.subject(), defect))) return false;
    this.queue = this.queue.filter((each) => each.defect.id !== defect.id);
    return true;
  }

  /** Repairs the first defect of the queue once. Whether that helped is for `isResolved` to say. */
  async attempt(run: Run, pending: Pending, settings: AttemptSettings): Promise<Attempt> {
    const { intensity, fromIntensity } = this.given;
    const { defect, cause, avoid } = pending;
    const choice = chooseStrategy(defect, { intensity, fromIntensity, rates: this.rates, avoid, cause });
    const { strategy } = choice;
    const before = this.meter.spent();
    const n = before.attempts + 1;
    const scope = run.scope(`repair-${n}`);
    this.askedStronger ||= settings.isStronger;
    const made = await this.proposal(scope, strategy, settings);
    if (made.kind === 'changed') await this.adopt(scope, made);
    this.last = { pending, choice, made, before };
    return { n, defect: defect.id, strategy, made: made.kind };
  }

  /** Looks whether the last attempt removed what it was told of, and keeps a record of it. */
  async isResolved(run: Run): Promise<boolean> {
    const { last } = this;
    if (last === undefined) return false;
    const { made, choice, pending, before } = last;
    const scope = run.scope(`repair-${before.attempts + 1}`);
    const gone = made.kind === 'changed' ? await this.verified(scope, choice.strategy) : new Set<string>();
    this.record(last, gone);
    return gone.has(pending.defect.id);
  }

  /** Everything at once did not fit. A window that is too large is only tried as something else. */
  get isTooLarge(): boolean {
    return this.last?.made.kind === 'too-large' && this.last.choice.strategy === 'full-regeneration';
  }

  /** What the next attempt at the same defect should know of this one; undefined where there is none. */
  lesson({ defect, strategy }: Attempt): string | undefined {
    if (this.isSpent() || this.isTooLarge || this.queue[0]?.defect.id !== defect) return undefined;
    const why = this.last?.made.kind === 'unchanged' ? ` (${this.last.made.why})` : '';
    return `A ${strategy} did not remove this fault${why}: find out why it is still there before you write.`;
  }

  result(kind: RepairResult['kind'], more: Pick<RepairResult, 'queries' | 'escalation'> = {}): RepairResult {
    const { subject, diagnosis, feedback } = this.given;
    const changed = !hasSameTexts(this.outputs, subject.outputs);
    const remaining = this.remaining();
    return {
      kind,
      // changed there and back again is what was given, with what was parsed from it
      outputs: changed ? this.outputs : subject.outputs,
      changed,
      ...(feedback === undefined ? {} : { feedbackResolved: !remaining.some(isFeedback) }),
      entries: this.entries,
      rates: this.rates,
      ...more,
      remaining,
      spent: this.meter.spent(),
      memory: {
        ...textsOf(subject.outputs, diagnosis),
        tried: this.tried,
        strategies: STRATEGIES.filter((strategy) => this.entries.some((entry) => entry.strategy === strategy)),
        queries: more.queries ?? [],
        stronger: this.askedStronger,
      },
      wayOut: this.wayOut,
    };
  }

  private subject(): Subject {
    return { ...this.given.subject, outputs: this.outputs };
  }

  private proposal(scope: Run, strategy: Strategy, settings: AttemptSettings): Promise<Proposal> {
    const { diagnosis, feedback, consistency } = this.given;
    return propose(scope, {
      strategy,
      session: settings.session,
      subject: this.subject(),
      told: this.told(strategy),
      hints: diagnosis.hints,
      radius: this.parts.radius,
      perturbed: settings.isPerturbed,
      ...(feedback === undefined ? {} : { feedback }),
      ...(consistency === undefined ? {} : { consistency }),
    });
  }

  /** A regeneration is told of everything that is still wrong; all else of the first defect only. */
  private told(strategy: Strategy): readonly [Pending, ...Pending[]] {
    const [first, ...others] = this.queue as readonly [Pending, ...Pending[]]; // attempts are made at the first one
    return strategy === 'full-regeneration' ? [first, ...others, ...this.stuck] : [first];
  }

  /** Written before it is verified: a test run looks at the files and not at what we remember of them. */
  private async adopt(scope: Run, made: Extract<Proposal, { kind: 'changed' }>): Promise<void> {
    for (const artefact of made.artefacts)
      await this.parts.workpiece.write(scope, artefact, textOf(this.outputs, artefact.name));
    this.outputs = changedOutputs(this.outputs, made);
    this.stale = new Set(this.queue.slice(1).map(({ defect }) => defect.id));
    this.queue = this.queue.map((each) => movedWith(each, made));
    this.stuck = this.stuck.map((each) => movedWith(each, made));
  }

  private async verified(scope: Run, strategy: Strategy): Promise<ReadonlySet<string>> {
    const gone = new Set<string>();
    for (const { defect } of this.told(strategy))
      if (await this.parts.verifyDefect(scope, this.subject(), defect)) gone.add(defect.id);
    return gone;
  }

  private record({ pending, choice, made, before }: Attempted, gone: ReadonlySet<string>): void {
    const { defect, cause } = pending;
    const after = this.meter.spent();
    const entry: RepairEntry = {
      n: before.attempts + 1,
      defect: defect.id,
      description: defect.description,
      cause,
      strategy: choice.strategy,
      intensity: this.given.intensity,
      resolved: gone.has(defect.id),
      costUsd: after.costUsd - before.costUsd,
      ms: after.ms - before.ms,
    };
    this.entries.push(entry);
    this.meter.countAttempt();
    const why = made.kind === 'unchanged' ? `${choice.why}; ${made.why}` : choice.why;
    this.run.note(repairNote(entry, why));
    this.settle(choice.strategy, gone);
  }

  /** What is gone leaves; the first one, where it stayed, comes again while something stronger is left for it. */
  private settle(strategy: Strategy, gone: ReadonlySet<string>): void {
    const told = this.told(strategy);
    for (const { defect, cause } of told) {
      const resolved = gone.has(defect.id);
      this.rates = recordRepair(this.rates, { cause, strategy, resolved });
      if (!resolved) this.tried.push({ defect: defect.id, strategy });
    }
    const isOpen = ({ defect }: Pending): boolean => !gone.has(defect.id);
    const survived = (each: Pending): Pending => (told.includes(each) ? avoiding(each, [strategy]) : each);
    const [first, ...others] = this.queue.filter(isOpen).map(survived);
    const isFirst = first !== undefined && first.defect.id === told[0].defect.id;
    const isStuck = isFirst && !hasMore(first, strategy);
    this.stuck = [...this.stuck.filter(isOpen), ...(isStuck ? [first] : [])];
    this.queue = first === undefined || isStuck ? others : [first, ...others];
  }
}
