import type { Entry, EventOf } from 'flyball';
import {
  type ChildKind,
  type ControlKind,
  type PatternKind,
  passOver,
  type RollbackKind,
  type WaitKind,
} from 'flyball/internal';
import type { AgentDirectory } from '../agents/agent-directory.js';
import type { Fleet } from '../agents/fleet.js';
import { servedName, TOOL_RUN } from '../agents/served-agent.js';
import { Counter, type Family } from './exposition.js';

/** Runs whose agent is remembered, and calls whose model is: beyond it, the oldest are forgotten. */
const MOST_REMEMBERED = 10_000;
/** A request may name any model: more of them are told together. */
const MOST_MODELS = 50;

export interface WorkParts {
  readonly fleet: Pick<Fleet, 'get'>;
  readonly directory: Pick<AgentDirectory, 'get'>;
}

/** What runs of this process did. */
export class WorkCounters {
  private readonly parts: WorkParts;
  private readonly started = new Counter('flyball_runs_started_total', 'Runs started in this process, by agent.');
  private readonly ended = new Counter('flyball_runs_ended_total', 'Runs ended in this process, by agent and outcome.');
  private readonly failed = new Counter(
    'flyball_runs_failed_total',
    'Runs failed in this process, by agent and error code.',
  );
  private readonly stalledRuns = new Counter(
    'flyball_runs_stalled_total',
    'Runs stalled in this process, by agent and error code.',
  );
  private readonly takeovers = new Counter(
    'flyball_runs_taken_over_total',
    'Runs resumed in this process after a crash of another.',
  );
  private readonly lostLeases = new Counter(
    'flyball_leases_lost_total',
    'Runs that another process took over while this one worked on them.',
  );
  private readonly doubts = new Counter(
    'flyball_doubts_total',
    'Effects of this process that may or may not have happened.',
  );
  private readonly calls = new Counter('flyball_model_calls_total', 'Model calls including re-asks, by result.');
  private readonly tokens = new Counter('flyball_model_tokens_total', 'Tokens by direction.');
  private readonly cost = new Counter('flyball_cost_usd_total', 'Cost of model calls, by agent and model.');
  private readonly tools = new Counter('flyball_tool_calls_total', 'Tool calls.');
  private readonly entries = new Counter('flyball_journal_entries_total', 'Journal entries written.');
  private readonly agents = new Remembered<string>();
  private readonly models = new Remembered<string>();
  private readonly knownModels = new Set<string>();
  private naming: Promise<void> = Promise.resolve();

  constructor(parts: WorkParts) {
    this.parts = parts;
    for (const counter of [this.takeovers, this.lostLeases, this.doubts, this.entries, this.tools]) counter.add({}, 0);
    for (const direction of ['in', 'out']) this.tokens.add({ direction }, 0);
    for (const result of ['ok', 'failed']) this.calls.add({ result }, 0);
  }

  get families(): readonly Family[] {
    const { started, ended, failed, stalledRuns, takeovers, lostLeases, doubts } = this;
    const { calls, tokens, cost, tools, entries } = this;
    return [started, ended, failed, stalledRuns, takeovers, lostLeases, doubts, calls, tokens, cost, tools, entries];
  }

  /** Resolves when everything heard so far is counted. */
  settled(): Promise<void> {
    return this.naming;
  }

  stalled(runId: string, code: string): void {
    this.count(runId, (agent) => this.stalledRuns.add({ agent, code }));
  }

  lost(): void {
    this.lostLeases.add();
  }

  hear(runId: string, entries: readonly Entry[]): void {
    this.entries.add({}, entries.length);
    for (const { event } of entries) {
      switch (event.type) {
        case 'attempt-start':
          if (event.attempt === 1) this.count(runId, (agent) => this.started.add({ agent }));
          if (event.why === 'takeover') this.takeovers.add();
          break;
        case 'doubt':
          this.doubts.add();
          break;
        case 'run-end':
          this.end(runId, event);
          break;
        case 'ask-start':
          this.models.set(`${runId} ${event.id}`, event.model);
          break;
        case 'ask-end':
          this.asked(runId, event);
          break;
        case 'intent':
        case 'complete':
        case 'abort':
          if (event.of === 'call') this.tools.add(); // one that changes nothing writes its end only, any other is announced
          break;
        default: // counted as an entry only
          passOver<
            | ChildKind
            | WaitKind
            | ControlKind
            | RollbackKind
            | PatternKind
            | 'run-start'
            | 'generation-start'
            | 'generation-end'
            | 'run-resume'
            | 'run-pause'
            | 'call-start'
            | 'note'
            | 'pin'
            | 'post'
          >(event);
      }
    }
  }

  private end(runId: string, { outcome }: EventOf<'run-end'>): void {
    this.count(runId, (agent) => {
      this.ended.add({ agent, stop: outcome.stop });
      if (outcome.stop === 'failed') this.failed.add({ agent, code: outcome.failure.code });
    });
  }

  private asked(runId: string, { id, reply, failure, spent }: EventOf<'ask-end'>): void {
    this.calls.add({ result: failure === undefined ? 'ok' : 'failed' });
    this.tokens.add({ direction: 'in' }, spent.tokensIn ?? 0);
    this.tokens.add({ direction: 'out' }, spent.tokensOut ?? 0);
    const model = this.modelLabel(reply?.model ?? this.models.take(`${runId} ${id}`) ?? '');
    this.count(runId, (agent) => this.cost.add({ agent, model }, spent.costUsd ?? 0));
  }

  private modelLabel(model: string): string {
    if (this.knownModels.size < MOST_MODELS) this.knownModels.add(model);
    return this.knownModels.has(model) ? model : 'other';
  }

  /** Entries do not say whose they are. Names are those that the server serves, so that there are only so many. */
  private count(runId: string, add: (agent: string) => void): void {
    this.naming = this.naming.then(async () => add(await this.agentOf(runId)));
  }

  private async agentOf(runId: string): Promise<string> {
    const known = this.agents.get(runId);
    if (known !== undefined) return known;
    const name = await this.parts.fleet.get(runId).then(
      (record) => servedName(record.agent).agent,
      () => '', // it cannot be read just now, which the log tells: counted without a name
    );
    const agent = name === TOOL_RUN || this.parts.directory.get(name) !== undefined ? name : 'other';
    if (name !== '') this.agents.set(runId, agent);
    return agent;
  }
}

/** The latest of what was set. */
class Remembered<T> {
  private readonly values = new Map<string, T>();

  get(key: string): T | undefined {
    return this.values.get(key);
  }

  take(key: string): T | undefined {
    const value = this.values.get(key);
    this.values.delete(key);
    return value;
  }

  set(key: string, value: T): void {
    if (this.values.size >= MOST_REMEMBERED)
      for (const oldest of this.values.keys()) {
        this.values.delete(oldest);
        break;
      }
    this.values.set(key, value);
  }
}
