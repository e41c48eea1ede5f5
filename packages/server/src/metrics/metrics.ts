import type { Clock } from 'flyball';
import type { AgentDirectory } from '../agents/agent-directory.js';
import type { Fleet } from '../agents/fleet.js';
import type { RunFeed } from '../feed/run-feed.js';
import { Counter, exposition, type Family, gauge, Histogram } from './exposition.js';
import { processFamilies } from './process-families.js';
import { StateGauges, type StateParts } from './state-gauges.js';
import { WorkCounters } from './work-counters.js';

/** Counts what happens in this process, and tells it with what the storage says at the moment of asking. */
export interface Metrics {
  /** An answer went out. */
  request(seen: AnswerSeen): void;
  /** A run was set aside. */
  stalled(runId: string, code: string): void;
  /** The lease of a run was lost to another process. */
  lost(): void;
  /** All of it, in the text format of Prometheus. */
  text(): Promise<string>;
  close(): void;
}

export interface AnswerSeen {
  readonly route: string;
  readonly status: number;
  readonly ms: number;
  /** The server was on its way down: a 503 is then as it should be. */
  readonly leaving: boolean;
}

export interface MetricsParts extends StateParts {
  readonly fleet: Pick<Fleet, 'subscribe' | 'get' | 'loaded'>;
  readonly feed: Pick<RunFeed, 'stats'>;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly directory: Pick<AgentDirectory, 'get'>;
  readonly version: string;
}

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export function openMetrics(parts: MetricsParts): Metrics {
  const requests = new Counter('flyball_http_requests_total', 'Responses by route and status.');
  const stopping = new Counter(
    'flyball_http_requests_stopping_total',
    'Responses with 503 because the server is shutting down.',
  );
  stopping.add({}, 0); // alerts subtract it
  const seconds = new Histogram(
    'flyball_http_request_duration_seconds',
    'Time to the response; for a stream, to its first byte.',
    SECONDS,
  );
  const work = new WorkCounters(parts);
  const state = new StateGauges(parts);
  const ofProcess = processFamilies(parts.version);
  const families: readonly Family[] = [
    requests,
    stopping,
    seconds,
    ...work.families,
    ...state.families,
    ...feedFamilies(parts),
    ...ofProcess.families,
  ];
  const stop = parts.fleet.subscribe((runId, entries) => work.hear(runId, entries));
  return {
    request({ route, status, ms, leaving }) {
      requests.add({ route, status: String(status) });
      if (leaving && status === 503) stopping.add();
      seconds.observe({ route }, ms / 1_000);
    },
    stalled: (runId, code) => work.stalled(runId, code),
    lost: () => work.lost(),
    async text() {
      await Promise.all([state.look(), work.settled()]);
      return exposition(families);
    },
    close() {
      stop();
      ofProcess.close();
    },
  };
}

function feedFamilies({ feed, fleet }: MetricsParts): readonly Family[] {
  const now = (name: string, help: string, value: () => number): Family =>
    gauge(name, help, () => [{ labels: {}, value: value() }]);
  return [
    gauge('flyball_stream_readers', 'Open streams of a single run and of all runs of a tenant.', () => {
      const { readers, cardReaders } = feed.stats();
      return [
        { labels: { of: 'run' }, value: readers },
        { labels: { of: 'tenant' }, value: cardReaders },
      ];
    }),
    {
      name: 'flyball_deltas_dropped_total',
      type: 'counter',
      help: 'Deltas dropped because a client was too slow.',
      samples: () => [{ labels: {}, value: feed.stats().droppedDeltas }],
    },
    now('flyball_feed_ring_bytes', 'Bytes of entries kept for clients that keep up.', () => feed.stats().ringBytes),
    now('flyball_runs_loaded', 'Runs loaded in this process.', () => fleet.loaded()),
  ];
}
