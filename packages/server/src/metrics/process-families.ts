import { readdirSync, readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type Family, gauge, type Sample } from './exposition.js';

export interface ProcessFamilies {
  readonly families: readonly Family[];
  close(): void;
}

/** How the process fares, under the names that collectors know. */
export function processFamilies(version: string): ProcessFamilies {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const one = (name: string, help: string, of: () => number): Family =>
    gauge(name, help, () => [{ labels: {}, value: of() }]);
  const usage = (of: (usage: NodeJS.MemoryUsage) => number) => () => of(process.memoryUsage());
  const families: readonly Family[] = [
    gauge('flyball_build_info', 'Version information; always 1.', () => [
      { labels: { version, node: process.versions.node }, value: 1 },
    ]),
    one('process_start_time_seconds', 'When the process started.', () => Date.now() / 1_000 - process.uptime()),
    one(
      'process_resident_memory_bytes',
      'Resident memory.',
      usage(({ rss }) => rss),
    ),
    one(
      'nodejs_heap_size_used_bytes',
      'Heap in use.',
      usage(({ heapUsed }) => heapUsed),
    ),
    one(
      'nodejs_external_memory_bytes',
      'Memory outside the heap.',
      usage(({ external }) => external),
    ),
    {
      name: 'process_cpu_seconds_total',
      type: 'counter',
      help: 'CPU time.',
      samples: () => {
        const { user, system } = process.cpuUsage();
        return [{ labels: {}, value: (user + system) / 1e6 }];
      },
    },
    gauge('nodejs_eventloop_lag_seconds', 'Event loop lag since the last scrape.', () => {
      const lag = (quantile: string, ns: number): Sample => ({
        labels: { quantile },
        value: Number.isFinite(ns) ? ns / 1e9 : 0,
      });
      const read = [lag('0.5', delay.percentile(50)), lag('0.99', delay.percentile(99)), lag('1', delay.max)];
      delay.reset();
      return read;
    }),
    gauge('process_open_fds', 'Open file descriptors; absent if the system does not report them.', () =>
      descriptors(openDescriptors),
    ),
    gauge('process_max_fds', 'Maximum number of file descriptors.', () => descriptors(mostDescriptors)),
  ];
  return { families, close: () => delay.disable() };
}

function descriptors(count: () => number): readonly Sample[] {
  try {
    return [{ labels: {}, value: count() }];
  } catch {
    return []; // only Linux tells
  }
}

function openDescriptors(): number {
  return readdirSync('/proc/self/fd').length;
}

function mostDescriptors(): number {
  const most = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
  return most === undefined ? Number.POSITIVE_INFINITY : Number(most);
}
