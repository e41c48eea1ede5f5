/** What a process holds after collection, in one line that another process reads. */
export interface MemoryReport {
  readonly at: number;
  readonly rss: number;
  /** Heap and buffers after a collection. */
  readonly held: number;
  readonly cpuMs: number;
  readonly more: Readonly<Record<string, number>>;
}

export function reportMemory(more: Readonly<Record<string, number>> = {}): void {
  globalThis.gc?.();
  const { rss, heapUsed, arrayBuffers } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const report: MemoryReport = {
    at: Date.now(),
    rss,
    held: heapUsed + arrayBuffers,
    cpuMs: (user + system) / 1_000,
    more,
  };
  console.log(JSON.stringify(report));
}
