// shows: R5-SHOW-MEMORY
/** A hundred simulations at once, several rounds of them: how long they take and what they leave behind in the heap. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { domainSource, goldAgentSide, goldUserSide, runExperiment } from '@flyball/evals';
import { dataFolder } from '@flyball/evals/files';
import { nodeHost, systemClock } from 'flyball';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { megabytes } from './measure/figures.js';
import { inFolder } from './measure/folder.js';
import { atMost, heading, judge, table } from './measure/report.js';
import { settledHeap } from './measure/suspended-runs.js';

const AT_ONCE = 100;
const ROUNDS = 6;
/** The first rounds compile code and fill what every domain keeps once. */
const WARM = 2;

interface Round {
  readonly heapBytes: number;
  readonly peakBytes: number;
  readonly ms: number;
  readonly calls: number;
}

const data = dataFolder(fileURLToPath(new URL('../../packages/evals/data', import.meta.url)));
const domain = await domainSource('energy_desk').load(data);
const tasks = domain.tasks.slice(0, 25);
const trials = Math.ceil(AT_ONCE / tasks.length);

/** One experiment of a hundred gold simulations, all of them under way together; its results are dropped. */
async function round(path: string, seed: number): Promise<Round> {
  const engine = await sqliteEngine({ path });
  let peakBytes = 0;
  let calls = 0;
  const began = performance.now();
  const watch = setInterval(() => {
    peakBytes = Math.max(peakBytes, process.memoryUsage().heapUsed);
  }, 50);
  try {
    await runExperiment({
      domain,
      tasks,
      trials,
      seed,
      conditions: [{ name: 'gold', agent: 'gold', user: 'gold', retrieval: 'golden_retrieval' }],
      agents: { gold: goldAgentSide },
      users: { gold: goldUserSide },
      runtime: { engine, clock: systemClock(), host: nodeHost() },
      concurrency: AT_ONCE,
      onProgress: ({ simulation }) => {
        if (simulation.termination !== 'user_stop') throw new Error(JSON.stringify(simulation.info));
        calls += simulation.messages.filter(({ role }) => role === 'tool').length;
      },
    });
  } finally {
    clearInterval(watch);
    await engine.close();
  }
  return { heapBytes: await settledHeap(), peakBytes, ms: performance.now() - began, calls };
}

heading('A hundred simulations at once', [
  `${tasks.length} tasks of the energy desk, ${trials} trials of each, gold on both sides, every call journaled on SQLite; ${ROUNDS} rounds in one`,
  'process. The heap is taken after collection, with nothing under way.',
]);
const rounds = await inFolder(async (folder) => {
  const made: Round[] = [];
  for (let nth = 1; nth <= ROUNDS; nth++) made.push(await round(join(folder, 'runs.db'), nth));
  return made;
});
table(
  ['round', 'heap after', 'highest', 'ms', 'calls', 'ms a simulation'],
  rounds.map((one, index) => [
    index + 1,
    megabytes(one.heapBytes),
    megabytes(one.peakBytes),
    Math.round(one.ms),
    one.calls,
    (one.ms / (tasks.length * trials)).toFixed(1),
  ]),
);
const [from, to] = [rounds[WARM - 1]?.heapBytes ?? 0, rounds.at(-1)?.heapBytes ?? 0];
judge([
  {
    says: `the heap grows by ${megabytes(to - from)} from round ${WARM} to round ${ROUNDS}, over ${(ROUNDS - WARM) * AT_ONCE} simulations; less than 1 MB`,
    met: atMost(to - from, 1_048_576),
  },
]);
