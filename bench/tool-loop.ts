// shows: R3-SHOW-BENCH-MEMORY, R3-SHOW-BENCH-HTTP, R3-SHOW-BENCH-DURABLE, R3-SHOW-BENCH-CONCURRENT, R2-SHOW-OVERHEAD
/** One iteration of a 20-call tool loop: in process, over HTTP, durable, a hundred at once, beside peers and a raw loop. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { runChild } from './measure/child.js';
import { figure, median } from './measure/figures.js';
import { type PeerName, peer } from './measure/peers.js';
import { atLeast, atMost, heading, judge, type Target, table } from './measure/report.js';

const ITERATIONS = 20;
const ROUNDS = 60;
const AT_ONCE = 100;
const PASSES = 2;
/** Enough before the loops at once: the process is warm by then. */
const FEW = 5;

type Mode = 'process' | 'http' | 'bare';
interface Said {
  readonly times: readonly number[];
  readonly concurrentMs?: number;
}
interface Contestant {
  readonly name: string;
  run(mode: Mode, base: string, atOnce: number): Promise<Said | string>;
}
interface Figures {
  /** Without any wire: only flyball, to see what the wire takes. */
  bare: number[];
  process: number[];
  http: number[];
  concurrentMs: number[];
}

/** flyball and the raw loop run from the repository, the peers beside their packages. */
function ours(name: string, program: string, engine: string): Contestant {
  const file = new URL(program, import.meta.url);
  return {
    name,
    run: async (mode, base, atOnce) => {
      const end = await runChild<Said>(file, [
        mode,
        base,
        `${ITERATIONS}`,
        `${atOnce > 0 ? FEW : ROUNDS}`,
        `${atOnce}`,
        engine,
      ]);
      return end.said ?? end.output;
    },
  };
}

function peers(notes: string[]): Contestant[] {
  const listed: readonly (readonly [PeerName, string, string])[] = [
    ['ai', '', ''],
    ['openai-agents', '', ''],
    ['langgraph', '', ''],
    ['langgraph', ' with MemorySaver', 'saver'],
    ['mastra', '', ''],
    ['voltagent', '', ''],
  ];
  return listed.flatMap(([name, label, option]) => {
    const found = peer(process.cwd(), name);
    if ('missing' in found) {
      notes.push(found.missing);
      return [];
    }
    const run: Contestant['run'] = async (mode, base, atOnce) => {
      const words = [mode, base, `${ITERATIONS}`, `${atOnce > 0 ? FEW : ROUNDS}`, `${atOnce}`, option];
      const end = await found.peer.run<Said>(`loop-${name}.mjs`, words);
      return end.said ?? end.output;
    };
    return [{ name: `${found.peer.version}${label}`, run }];
  });
}

async function startServer(): Promise<{ readonly base: string; stop(): void }> {
  const program = new URL('../../bench/programs/chat-server.mjs', import.meta.url);
  const child = spawn(process.execPath, [program.pathname, `${ITERATIONS}`], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [base] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { base, stop: () => child.kill() };
}

async function measure(contestant: Contestant, base: string, into: Figures, notes: string[]): Promise<void> {
  const jobs: readonly (readonly [Mode, number])[] = [
    ...(contestant.name === MEMORY ? ([['bare', 0]] as const) : []),
    ['process', 0],
    ['http', 0],
    ['http', AT_ONCE],
  ];
  for (const [mode, atOnce] of jobs) {
    if (contestant.name === RAW && mode === 'process') continue; // without HTTP nothing is left of it
    const address = mode === 'http' ? base : 'http://fake.local/v1';
    const said = await contestant.run(mode, address, atOnce);
    if (typeof said === 'string') notes.push(`${contestant.name}, ${mode}: ${said.trim().slice(-300)}`);
    else if (said.concurrentMs !== undefined) into.concurrentMs.push(said.concurrentMs);
    else into[mode].push(...said.times);
  }
}

const RAW = 'raw http.Agent loop';
const MEMORY = 'flyball, in memory';
const DURABLE = 'flyball, durable on SQLite';
const onlyOurs = process.argv.includes('--no-peers');

heading('One iteration of a tool loop', [
  `${ITERATIONS} tool calls and an answer; the model answers at once. ms a model call with its tool call, best of ${ROUNDS * PASSES} loops.`,
  'In process: everybody on a stub of its HTTP client, so that requests are written and replies are read, without a network.',
  `And model calls a second with ${AT_ONCE} loops at once. Each contestant in a process of its own, ${PASSES} passes in turn.`,
]);
const notes: string[] = [];
const programs = '../../bench/programs';
const contestants = [
  ours(RAW, `${programs}/loop-raw.mjs`, ''),
  ours(MEMORY, './programs/loop-flyball.js', 'memory'),
  ours(DURABLE, './programs/loop-flyball.js', 'sqlite'),
  ...(onlyOurs ? [] : peers(notes)),
];
const found = new Map<string, Figures>(
  contestants.map(({ name }) => [name, { bare: [], process: [], http: [], concurrentMs: [] }]),
);
const server = await startServer();
try {
  for (let pass = 0; pass < PASSES; pass++) {
    for (const contestant of contestants) {
      process.stderr.write(`  pass ${pass + 1}: ${contestant.name} …\n`);
      const figures = found.get(contestant.name);
      if (figures !== undefined) await measure(contestant, server.base, figures, notes);
    }
  }
} finally {
  server.stop();
}

const each = (times: readonly number[]): number => Math.min(...times) / (ITERATIONS + 1);
const shown = (ms: number): string => (Number.isFinite(ms) ? ms.toFixed(3) : '-');
const perSecond = (walls: readonly number[]): number => (AT_ONCE * (ITERATIONS + 1) * 1000) / Math.min(...walls);
table(
  ['', 'in process', 'median', 'over HTTP', 'median', `calls/s, ${AT_ONCE} at once`],
  [...found].map(([name, figures]) => [
    name,
    shown(each(figures.process)),
    shown(median(figures.process) / (ITERATIONS + 1)),
    shown(each(figures.http)),
    shown(median(figures.http) / (ITERATIONS + 1)),
    figure(perSecond(figures.concurrentMs)),
  ]),
);
console.log(
  `  flyball without any wire, its model answering in the same process: ${each(figuresOf(MEMORY).bare).toFixed(3)} ms\n`,
);
for (const note of new Set(notes)) console.log(`  ${note}`);

function figuresOf(name: string): Figures {
  const figures = found.get(name);
  if (figures === undefined) throw new Error(`${name} was not measured.`);
  return figures;
}
const memory = figuresOf(MEMORY);
const durable = figuresOf(DURABLE);
const raw = figuresOf(RAW);
const others = [...found].filter(([name]) => ![RAW, MEMORY, DURABLE].includes(name));
const overRaw = each(memory.http) / each(raw.http);
const targets: Target[] = [
  { says: `over HTTP ${figure(overRaw)} × the raw loop (1.5 ×)`, met: atMost(overRaw, 1.5, 0.1) },
];
if (others.length > 0) {
  const fastest = Math.min(...others.map(([, figures]) => each(figures.process)));
  const share = each(memory.process) / fastest;
  const slower = others
    .filter(([name]) => !name.startsWith('ai@'))
    .map(([name, { http }]) => [name, each(http)] as const);
  const nearest = slower.reduce((best, next) => (next[1] < best[1] ? next : best));
  const overNearest = each(durable.http) / nearest[1];
  const busiest = Math.max(...others.map(([, figures]) => perSecond(figures.concurrentMs)));
  const times = perSecond(memory.concurrentMs) / busiest;
  targets.push(
    { says: `in process ${figure(share)} × the fastest peer (0.5 ×)`, met: atMost(share, 0.5, 0.1) },
    {
      says: `durable ${figure(overNearest)} × ${nearest[0]}, the fastest peer but ai, not durable (1 ×)`,
      met: atMost(overNearest, 1),
    },
    { says: `${AT_ONCE} at once: ${figure(times)} × the calls of the busiest peer (2 ×)`, met: atLeast(times, 2, 0.1) },
  );
}
judge(targets);
