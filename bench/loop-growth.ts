// shows: R3-SHOW-BENCH-GROWTH
/** What 1,000 tool loops over HTTP leave behind in a process: heap, listeners, sockets and timers. */
import { spawn } from 'node:child_process';
import { getEventListeners, once } from 'node:events';
import { Agent as HttpAgent } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate as turn } from 'node:timers/promises';
import { createRuntime, type Outcome, type Runtime, systemClock } from 'flyball';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { openAiModel } from 'flyball/adapters/model-http';
import { type ToolLoopResult, toolLoop } from 'flyball/loops';
import { modelRouter } from 'flyball/models';
import { tool } from 'flyball/tools';
import { megabytes } from './measure/figures.js';
import { inFolder } from './measure/folder.js';
import { atMost, heading, judge, type Target, table } from './measure/report.js';
import { settledHeap } from './measure/suspended-runs.js';
import { wideBudget } from './measure/wide-budget.js';

const CALLS = 20;
const MARKS = [200, 600, 1_000] as const;
const AT_ONCE = 4;

/** What is left behind after so many runs, when nothing is under way. */
interface Left {
  readonly runs: number;
  readonly heapBytes: number;
  readonly onSignal: number;
  readonly sockets: number;
  /** On the socket that has most. */
  readonly onSocket: number;
  readonly onProcess: number;
  readonly timers: number;
  /** Everything that keeps the process open, timers included. */
  readonly resources: number;
}

/** One signal for the whole process, as a server's shutdown signal is: every call of the tool waits under it. */
const shutdown = new AbortController();
const agent = new HttpAgent({ keepAlive: true });

const addOne = tool({
  name: 'add_one',
  description: 'Adds one.',
  input: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] },
  effect: 'pure',
  execute: async ({ x }, { signal }) => {
    await Promise.all([turn(undefined, { signal: shutdown.signal }), turn(undefined, { signal })]);
    return String(Number(x) + 1);
  },
});

async function startServer(): Promise<{ readonly base: string; stop(): void }> {
  const program = new URL('../../bench/programs/chat-server.mjs', import.meta.url);
  const child = spawn(process.execPath, [program.pathname, `${CALLS}`], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [base] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { base, stop: () => child.kill() };
}

async function openLoop(baseUrl: string, path: string): Promise<{ runtime: Runtime; close(): Promise<void> }> {
  const price = { input: 0, output: 0 };
  const router = await modelRouter({
    resolve: (id) => openAiModel({ id, baseUrl, apiKey: 'x', agent, price }),
    roles: { default: 'fake/fake' },
    clock: systemClock(),
    random: () => 0,
  });
  const looper = toolLoop({
    session: { name: 'looper', model: router.forRole('default'), setup: 'You call tools.' },
    tools: [addOne],
    config: { maxIterations: CALLS + 5, doubleConfirmation: false },
  });
  const engine = await sqliteEngine({ path });
  const runtime = createRuntime({ engine, agents: { looper } });
  const close = async (): Promise<void> => {
    await runtime.close();
    await engine.close();
  };
  return { runtime, close };
}

async function loop(runtime: Runtime): Promise<void> {
  const handle = await runtime.start('looper', 'go', { budget: wideBudget });
  const outcome = (await handle.outcome()) as Outcome<ToolLoopResult>;
  if (outcome.stop === 'done' && outcome.value.output === 'done' && outcome.value.toolCalls === CALLS) return;
  throw new Error(`It ended ${JSON.stringify(outcome)}.`);
}

/** A few at a time; every second time somebody looks on, so that the replies are streamed. */
async function loops(runtime: Runtime, count: number): Promise<void> {
  for (let made = 0; made < count; made += AT_ONCE) {
    const stop = (made / AT_ONCE) % 2 === 0 ? () => undefined : runtime.subscribeDeltas(() => undefined);
    await Promise.all(Array.from({ length: AT_ONCE }, () => loop(runtime)));
    stop();
  }
}

async function leftAfter(runs: number, runtime: Runtime): Promise<Left> {
  const heapBytes = await settledHeap();
  if (runtime.loaded() > 0) throw new Error(`${runtime.loaded()} runs are still loaded.`);
  const sockets = [...Object.values(agent.sockets), ...Object.values(agent.freeSockets)].flatMap((some) => some ?? []);
  const resources = process.getActiveResourcesInfo();
  return {
    runs,
    heapBytes,
    onSignal: getEventListeners(shutdown.signal, 'abort').length,
    sockets: sockets.length,
    onSocket: Math.max(0, ...sockets.map(listenersOf)),
    onProcess: listenersOf(process),
    timers: resources.filter((name) => name === 'Timeout').length,
    resources: resources.length,
  };
}

function listenersOf(emitter: NodeJS.EventEmitter): number {
  return emitter.eventNames().reduce((sum, name) => sum + emitter.listenerCount(name), 0);
}

heading('What tool loops leave behind', [
  `Loops of ${CALLS} tool calls over HTTP on SQLite, ${AT_ONCE} at a time, half of them streamed; one runtime, one router, one model, one`,
  'agent of sockets, and a tool that waits under a signal of the whole process. After collection, with nothing under way.',
]);
const server = await startServer();
const found: Left[] = [];
try {
  await inFolder(async (folder) => {
    const { runtime, close } = await openLoop(server.base, join(folder, 'runs.db'));
    let made = 0;
    for (const mark of MARKS) {
      await loops(runtime, mark - made);
      made = mark;
      found.push(await leftAfter(made, runtime));
    }
    await close();
  });
} finally {
  server.stop();
  agent.destroy();
}

table(
  ['runs', 'heap', 'listeners: signal', 'socket', 'process', 'sockets', 'timers', 'resources'],
  found.map((left) => [
    left.runs.toLocaleString('en-US'),
    megabytes(left.heapBytes),
    left.onSignal,
    left.onSocket,
    left.onProcess,
    left.sockets,
    left.timers,
    left.resources,
  ]),
);
const [first, last] = [found[0], found.at(-1)];
if (first === undefined || last === undefined) throw new Error('Nothing was measured.');
const same = (what: string, count: (left: Left) => number): Target => ({
  says: `${what}: ${found.map(count).join(', ')}; none more at the end than at the beginning`,
  met: atMost(count(last), count(first)),
});
const growth = last.heapBytes - first.heapBytes;
judge([
  {
    says: `the heap grows by ${megabytes(growth)} from run 200 to run 1,000; less than 1 MB`,
    met: atMost(growth, 1_048_575),
  },
  same('listeners on the shared signal', ({ onSignal }) => onSignal),
  same('listeners on a socket', ({ onSocket }) => onSocket),
  same('listeners on the process', ({ onProcess }) => onProcess),
  same('open sockets', ({ sockets }) => sockets),
  same('timers', ({ timers }) => timers),
  same('resources that keep the process open', ({ resources }) => resources),
]);
