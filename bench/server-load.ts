// shows: R6-SHOW-LOAD, R6-SHOW-SLOW-READER, F-K1
/** 200 runs at once with a streaming reader each, slow and deaf ones beside them: order, latency, memory; beside bare hono. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { deafReader, Latencies, type ReadRun, readToEnd } from './measure/event-reader.js';
import { figure, megabytes, sum } from './measure/figures.js';
import { inFolder } from './measure/folder.js';
import type { MemoryReport } from './measure/memory-report.js';
import { atMost, heading, judge, type Target, table } from './measure/report.js';

const option = (name: string, preset: number): number => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? preset : Number(process.argv[at + 1]);
};
const SECONDS = option('minutes', 0) * 60 || option('seconds', 20);
const RUNS = option('runs', 200);
const PAUSE_MS = option('pause', 250);
const ROUNDS = 40;
/** Twelve megabytes. */
const TALKATIVE_ROUNDS = 300;
const SLOW = option('slow', 5);
const DEAF = option('deaf', 20);
/** Growth is judged over at least this long: before, what is bounded has not filled up. */
const LONG_S = 120;

interface Server {
  readonly url: string;
  memory(): Promise<MemoryReport>;
  stop(): Promise<void>;
}

async function startProgram(name: string, parameters: readonly string[]): Promise<Server> {
  const file = fileURLToPath(new URL(`./programs/${name}.js`, import.meta.url));
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(
    process.execPath,
    ['--expose-gc', file, ...parameters],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const lines: Interface = createInterface(child.stdout);
  const line = async (): Promise<string> => ((await once(lines, 'line')) as [string])[0];
  const url = await line();
  return {
    url,
    async memory() {
      const told = line();
      child.stdin.write('memory\n');
      return JSON.parse(await told) as MemoryReport;
    },
    async stop() {
      const ended = once(child, 'exit');
      child.stdin.write('close\n');
      await ended;
    },
  };
}

interface Loaded {
  readonly latencies: Latencies;
  readonly reads: readonly ReadRun[];
  readonly seconds: number;
  readonly cpuMs: number;
  readonly memory: readonly MemoryReport[];
}

/** Keeps so many readers busy until the time is over, each with a run of its own. */
async function load(server: Server, seconds: number, next: () => Promise<string>): Promise<Loaded> {
  const latencies = new Latencies();
  const reads: ReadRun[] = [];
  const memory: MemoryReport[] = [];
  const began = performance.now();
  const over = (): boolean => performance.now() - began >= seconds * 1_000;
  const lane = async (): Promise<void> => {
    while (!over()) reads.push(await readToEnd(await next(), latencies));
  };
  const before = await server.memory();
  const sampling = setInterval(
    () => void server.memory().then((report) => memory.push(report)),
    Math.max(4_000, (seconds * 1_000) / 60),
  );
  await Promise.all(Array.from({ length: RUNS }, lane));
  clearInterval(sampling);
  const took = (performance.now() - began) / 1_000;
  const after = await server.memory();
  memory.push(after);
  return { latencies, reads, seconds: took, cpuMs: after.cpuMs - before.cpuMs, memory };
}

async function start(base: string, agent: string, rounds: number): Promise<string> {
  const answer = await fetch(`${base}/v1/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ agent, input: { rounds } }),
  });
  if (answer.status !== 202) throw new Error(`A run was answered with ${answer.status}: ${await answer.text()}`);
  return ((await answer.json()) as { readonly id: string }).id;
}

/**
 * Readers that are slow, and readers that are not there, on runs that say far more than sockets hold, one run after the
 * other until the time is over. Resolves with what the slow ones saw.
 */
async function unreliable(base: string, isOver: () => boolean): Promise<readonly ReadRun[]> {
  const slow: ReadRun[] = [];
  while (SLOW + DEAF > 0 && !isOver()) {
    const url = `${base}/v1/runs/${await start(base, 'talkative', TALKATIVE_ROUNDS)}/events`;
    const sockets = Array.from({ length: DEAF }, () => deafReader(url));
    slow.push(...(await Promise.all(Array.from({ length: SLOW }, () => readToEnd(url, undefined, { slowly: true })))));
    for (const socket of sockets) socket.destroy();
  }
  return slow;
}

/** Bytes a minute, by the line through the samples after the first fifth. */
function slope(samples: readonly MemoryReport[], of: (report: MemoryReport) => number): number {
  const settled = samples.slice(Math.floor(samples.length / 5));
  const meanX = sum(settled.map(({ at }) => at)) / settled.length;
  const meanY = sum(settled.map(of)) / settled.length;
  const above = sum(settled.map((report) => (report.at - meanX) * (of(report) - meanY)));
  const below = sum(settled.map(({ at }) => (at - meanX) ** 2));
  return (above / below) * 60_000;
}

async function loadServer(): Promise<Loaded & { readonly slow: readonly ReadRun[]; readonly expected: number }> {
  return inFolder(async (folder) => {
    const server = await startProgram('load-server', [join(folder, 'runs.db'), `${PAUSE_MS}`]);
    try {
      const first = await readToEnd(
        `${server.url}/v1/runs/${await start(server.url, 'worker', ROUNDS)}/events`,
        undefined,
      );
      const until = performance.now() + SECONDS * 1_000;
      const others = unreliable(server.url, () => performance.now() >= until);
      const loaded = await load(server, SECONDS, async () => {
        const id = await start(server.url, 'worker', ROUNDS);
        return `${server.url}/v1/runs/${id}/events`;
      });
      const slow = await others;
      return { ...loaded, slow, expected: first.entries };
    } finally {
      await server.stop();
    }
  });
}

/** The same events of about the same size, from memory. */
async function loadBare(entries: number, bytes: number): Promise<Loaded> {
  const perRound = Math.max(1, Math.round(entries / ROUNDS));
  const sizes = Array.from({ length: perRound }, () => Math.round(bytes / entries));
  const server = await startProgram('load-bare', [`${PAUSE_MS}`, sizes.join(',')]);
  try {
    return await load(server, Math.min(SECONDS, 30), async () => `${server.url}/events/${ROUNDS}`);
  } finally {
    await server.stop();
  }
}

const events = ({ reads }: Loaded): number => sum(reads.map(({ entries }) => entries));
const cpuPerThousand = (loaded: Loaded): number => (loaded.cpuMs / events(loaded)) * 1_000;
const row = (name: string, loaded: Loaded): readonly (string | number)[] => [
  name,
  loaded.reads.length.toLocaleString('en-US'),
  figure(events(loaded) / loaded.seconds),
  loaded.latencies.quantile(0.5),
  loaded.latencies.quantile(0.99),
  figure(cpuPerThousand(loaded)),
  megabytes(loaded.memory.at(-1)?.held ?? 0),
  megabytes(loaded.memory.at(-1)?.rss ?? 0),
];

heading(`${RUNS} runs at once, each with a streaming reader, for ${SECONDS} s`, [
  `A server in a process of its own on SQLite; runs of ${ROUNDS} rounds of a model call (${PAUSE_MS} ms), a note and a step. Beside them`,
  `${SLOW} slow readers and ${DEAF} that never read a byte, on runs that write 40 KB every 20 ms. Latency: from the journal to the reader.`,
]);
const served = await loadServer();
const sample = served.reads[0];
const bare = await loadBare(sample?.entries ?? 1, sample?.bytes ?? 200);
table(
  ['', 'runs', 'events/s', 'p50 ms', 'p99 ms', 'CPU ms per 1,000', 'held', 'RSS'],
  [row('flyball', served), row('bare hono', bare)],
);
const short = served.reads.filter(({ ended, entries }) => !ended || entries !== served.expected).length;
const wrong = sum([...served.reads, ...served.slow].map((read) => read.wrong));
const hurt = served.slow.filter((read) => !read.ended || read.wrong > 0).length;
const growth = slope(served.memory, ({ held }) => held);
const rssGrowth = slope(served.memory, ({ rss }) => rss);
const growthSays = `what is held grows by ${megabytes(growth)} a minute; less than 1 MB`;
const isLong = SECONDS >= LONG_S;
console.log(
  `  memory: ${served.memory.map(({ held }) => (held / 1_048_576).toFixed(0)).join(' ')} MB held over time; RSS grows by ${megabytes(rssGrowth)} a minute`,
);
console.log(
  `  CPU of one event: ${figure(cpuPerThousand(served) / cpuPerThousand(bare))} × bare hono, the runs themselves included\n`,
);
const targets: readonly Target[] = [
  { says: `entries lost, doubled or out of order: ${wrong}; none`, met: atMost(wrong, 0) },
  { says: `runs that a reader did not see whole: ${short}; none`, met: atMost(short, 0) },
  {
    says: `slow readers that did not get everything in order: ${hurt} of ${served.slow.length}; none`,
    met: atMost(hurt, 0),
  },
  ...(isLong ? [{ says: growthSays, met: atMost(growth, 1_048_576) }] : []),
];
if (!isLong) console.log(`  not judged in less than ${LONG_S / 60} minutes: ${growthSays}`);
judge(targets);
