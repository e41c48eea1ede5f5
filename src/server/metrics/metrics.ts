import type { Entry } from '../../core/events.js';
import type { Clock } from '../../ports/clock.js';
import type { RunStatus } from '../../ports/engine.js';
import type { AgentDirectory } from '../agents/agent-directory.js';
import type { Fleet } from '../agents/fleet.js';
import { servedName, TOOL_RUN } from '../agents/served-agent.js';
import type { RunFeed } from '../feed/run-feed.js';
import { Counter, exposition, type Family, gauge, Histogram } from './exposition.js';

/** Counts what happens in this process, and tells it with what the storage says at the moment of asking. */
export interface Metrics {
  /** An answer went out. */
  request(seen: { readonly route: string; readonly status: number; readonly ms: number }): void;
  /** All of it, in the text format of Prometheus. */
  text(): Promise<string>;
  close(): void;
}

export interface MetricsParts {
  readonly fleet: Pick<Fleet, 'subscribe' | 'get' | 'list' | 'loaded'>;
  readonly feed: Pick<RunFeed, 'stats' | 'fold'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly directory: Pick<AgentDirectory, 'get'>;
}

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Storage is asked at most this often, and for at most so many runs. */
const LOOK_EVERY_MS = 5_000;
const MOST_RUNS = 2_000;
const COUNTED: readonly RunStatus[] = ['pending', 'running', 'suspended', 'paused', 'stalled'];

export function openMetrics(parts: MetricsParts): Metrics {
  const requests = new Counter('flyball_http_requests_total', 'Answers by route and status.');
  const seconds = new Histogram(
    'flyball_http_request_duration_seconds',
    'Time to an answer; of a stream, to its first byte.',
    SECONDS,
  );
  const work = new WorkCounters(parts);
  const storage = new StorageGauges(parts);
  const families: readonly Family[] = [
    requests,
    seconds,
    ...work.families,
    ...storage.families,
    ...feedFamilies(parts),
    ...processFamilies(),
  ];
  const stop = parts.fleet.subscribe((runId, entries) => work.hear(runId, entries));
  return {
    request({ route, status, ms }) {
      requests.add({ route, status: String(status) });
      seconds.observe({ route }, ms / 1_000);
    },
    async text() {
      await Promise.all([storage.look(), work.settled()]);
      return exposition(families);
    },
    close: stop,
  };
}

/** What runs of this process did. */
class WorkCounters {
  private readonly parts: MetricsParts;
  private readonly started = new Counter('flyball_runs_started_total', 'Runs that began here, by agent.');
  private readonly ended = new Counter('flyball_runs_ended_total', 'Runs that ended here, by agent and how.');
  private readonly takeovers = new Counter(
    'flyball_runs_taken_over_total',
    'Runs that went on here after their process was gone.',
  );
  private readonly calls = new Counter('flyball_model_calls_total', 'Model calls, re-asks included, by result.');
  private readonly tokens = new Counter('flyball_model_tokens_total', 'Tokens by direction.');
  private readonly cost = new Counter('flyball_cost_usd_total', 'What model calls cost.');
  private readonly tools = new Counter('flyball_tool_calls_total', 'Calls of tools.');
  private readonly entries = new Counter('flyball_journal_entries_total', 'Entries that became durable.');
  private naming: Promise<void> = Promise.resolve();

  constructor(parts: MetricsParts) {
    this.parts = parts;
    for (const counter of [this.takeovers, this.cost, this.entries, this.tools]) counter.add({}, 0);
    for (const direction of ['in', 'out']) this.tokens.add({ direction }, 0);
    for (const result of ['ok', 'failed']) this.calls.add({ result }, 0);
  }

  get families(): readonly Family[] {
    const { started, ended, takeovers, calls, tokens, cost, tools, entries } = this;
    return [started, ended, takeovers, calls, tokens, cost, tools, entries];
  }

  /** Resolves when everything heard so far is counted. */
  settled(): Promise<void> {
    return this.naming;
  }

  hear(runId: string, entries: readonly Entry[]): void {
    this.entries.add({}, entries.length);
    for (const { event } of entries) {
      switch (event.type) {
        case 'attempt-start':
          if (event.attempt === 1) this.count(runId, (agent) => this.started.add({ agent }));
          if (event.why === 'takeover') this.takeovers.add();
          break;
        case 'run-end':
          this.count(runId, (agent) => this.ended.add({ agent, stop: event.outcome.stop }));
          break;
        case 'ask-end':
          this.calls.add({ result: event.failure === undefined ? 'ok' : 'failed' }, 1);
          this.tokens.add({ direction: 'in' }, event.spent.tokensIn ?? 0);
          this.tokens.add({ direction: 'out' }, event.spent.tokensOut ?? 0);
          this.cost.add({}, event.spent.costUsd ?? 0);
          break;
        case 'intent':
        case 'complete':
        case 'abort':
          if (event.of === 'call') this.tools.add(); // one that changes nothing writes its end only, any other is announced
          break;
        default:
          break; // counted as an entry only
      }
    }
  }

  /** Entries do not say whose they are. Names are those that the server serves, so that there are only so many. */
  private count(runId: string, add: (agent: string) => void): void {
    this.naming = this.naming.then(async () => {
      const name = await this.parts.fleet.get(runId).then(
        (record) => servedName(record.agent).agent,
        () => '', // it cannot be read just now, which the log tells: counted without a name
      );
      add(name === TOOL_RUN || this.parts.directory.get(name) !== undefined ? name : 'other');
    });
  }
}

/** How runs stand now, whoever runs them. */
class StorageGauges {
  private readonly parts: MetricsParts;
  private counts: Readonly<Partial<Record<RunStatus, number>>> = {};
  private asks = 0;
  private lookedAt = Number.NEGATIVE_INFINITY;
  private looking: Promise<void> | undefined;

  constructor(parts: MetricsParts) {
    this.parts = parts;
  }

  get families(): readonly Family[] {
    return [
      gauge('flyball_runs', `Runs that have not ended, by status; counted up to ${MOST_RUNS} each.`, () =>
        COUNTED.map((status) => ({ labels: { status }, value: this.counts[status] ?? 0 })),
      ),
      gauge('flyball_approvals_open', 'Questions to people that wait for an answer.', () => [
        { labels: {}, value: this.asks },
      ]),
    ];
  }

  look(): Promise<void> {
    if (this.parts.clock.now() - this.lookedAt < LOOK_EVERY_MS) return this.looking ?? Promise.resolve();
    this.lookedAt = this.parts.clock.now();
    this.looking = this.count().finally(() => {
      this.looking = undefined;
    });
    return this.looking;
  }

  private async count(): Promise<void> {
    const counts: Partial<Record<RunStatus, number>> = {};
    let asks = 0;
    for (const status of COUNTED) {
      const ids = await this.runsIn(status);
      counts[status] = ids.length;
      if (status === 'suspended') for (const id of ids) asks += (await this.parts.feed.fold(id)).asks;
    }
    this.counts = counts;
    this.asks = asks;
  }

  private async runsIn(status: RunStatus): Promise<readonly string[]> {
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.parts.fleet.list({ status, limit: 500, ...(cursor === undefined ? {} : { cursor }) });
      ids.push(...page.runs.map(({ id }) => id));
      cursor = page.cursor;
    } while (cursor !== undefined && ids.length < MOST_RUNS);
    return ids;
  }
}

function feedFamilies({ feed, fleet }: MetricsParts): readonly Family[] {
  const now = (name: string, help: string, value: () => number): Family =>
    gauge(name, help, () => [{ labels: {}, value: value() }]);
  return [
    gauge('flyball_stream_readers', 'Open streams, of one run and of all runs of a tenant.', () => {
      const { readers, cardReaders } = feed.stats();
      return [
        { labels: { of: 'run' }, value: readers },
        { labels: { of: 'tenant' }, value: cardReaders },
      ];
    }),
    {
      name: 'flyball_deltas_dropped_total',
      type: 'counter',
      help: 'Pieces of replies that a reader was too slow for.',
      samples: () => [{ labels: {}, value: feed.stats().droppedDeltas }],
    },
    now('flyball_feed_ring_bytes', 'Entries kept for readers that keep up.', () => feed.stats().ringBytes),
    now('flyball_runs_loaded', 'Runs that live in this process.', () => fleet.loaded()),
  ];
}

function processFamilies(): readonly Family[] {
  const memory = (name: string, help: string, of: (usage: NodeJS.MemoryUsage) => number): Family =>
    gauge(name, help, () => [{ labels: {}, value: of(process.memoryUsage()) }]);
  return [
    memory('process_resident_memory_bytes', 'Resident memory.', ({ rss }) => rss),
    memory('nodejs_heap_size_used_bytes', 'Heap in use.', ({ heapUsed }) => heapUsed),
    memory('nodejs_external_memory_bytes', 'Memory outside of the heap that it refers to.', ({ external }) => external),
    {
      name: 'process_cpu_seconds_total',
      type: 'counter',
      help: 'Time of the processor.',
      samples: () => {
        const { user, system } = process.cpuUsage();
        return [{ labels: {}, value: (user + system) / 1e6 }];
      },
    },
  ];
}
