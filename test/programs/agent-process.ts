/**
 * A process with a runtime in it, for tests that need several or need one to die. One request a line on stdin, one
 * answer a line on stdout:
 *
 *   { "n": 1, "method": "open", "parameters": [{ "path": "…", "agents": ["walk"], "options": { … } }] }
 *   { "n": 1, "value": … }   or   { "n": 1, "code": "JOURNAL_CONFLICT", "message": "…" }
 *
 * `open` comes first; then the methods of a runtime, with the id of a run where they give back a handle.
 */
import { createInterface } from 'node:readline';
import { budget, createRuntime, type Runtime, type RuntimeOptions, systemClock } from 'flyball';
import { type SqliteEngine, type SqliteOptions, sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { agents, tell } from './process-agents.js';
import { around, bodySettled, storm } from './storm-agents.js';

interface Opening {
  readonly path: string;
  readonly driver?: NonNullable<SqliteOptions['driver']>;
  /** Names of the agents this process can run: all, where it does not say. */
  readonly agents?: readonly string[];
  readonly options?: Partial<RuntimeOptions>;
  /** How far its clock is ahead: for a life that begins when the deadlines of the one before have long passed. */
  readonly aheadMs?: number;
  /** Stops itself with SIGSTOP right after the commit that holds the first INTENT, before anything acts on it. */
  readonly stopAfterIntent?: boolean;
  readonly strike?: Strike;
}

/**
 * Dies of SIGKILL, or stops itself with SIGSTOP, at this commit from now on: inside its transaction, or when it is durable
 * and nobody has been told. Or at this effect of an agent that says when it acts: right before or right after it.
 */
export interface Strike {
  readonly signal: 'SIGKILL' | 'SIGSTOP';
  readonly at: 'commit' | 'effect';
  readonly nth: number;
  readonly when: 'before' | 'after';
}

const everyAgent = { ...agents, storm };
let runtime: Runtime | undefined;
let aheadMs = 0;
let strike: (Strike & { passed: number }) | undefined;

async function open(opening: Opening): Promise<void> {
  const { path, driver } = opening;
  aheadMs = opening.aheadMs ?? 0;
  const clock = systemClock();
  const accident = accidentOf(opening);
  const engine = await sqliteEngine({
    path,
    ...(driver === undefined ? {} : { driver }),
    pollMs: 10,
    hooks: accident.hooks,
  });
  runtime = createRuntime({
    engine: { ...engine, append: (claim, batch) => engine.append(claim, accident.noticed(batch)) },
    agents: Object.fromEntries(Object.entries(everyAgent).filter(([name]) => opening.agents?.includes(name) ?? true)),
    clock: { ...clock, now: () => clock.now() + aheadMs },
    prices: { 'scripted/writer': { input: 1, output: 1 } },
    options: { maxResumes: 1000, pollMs: 50, ...opening.options },
  });
}

type Appended = Parameters<SqliteEngine['append']>[1];

/** What is to happen to this process around a commit or an effect. */
function accidentOf({ stopAfterIntent = false, strike: first }: Opening) {
  let isIntended = false;
  let isStopped = false;
  if (first !== undefined) strike = { ...first, passed: 0 };
  const stop = (): void => {
    tell('stopping');
    process.kill(process.pid, 'SIGSTOP');
  };
  const pass = (at: Strike['at'], when: Strike['when']): void => {
    if (strike?.at !== at || strike.when !== when || ++strike.passed !== strike.nth) return;
    if (strike.signal === 'SIGSTOP') stop();
    else process.kill(process.pid, 'SIGKILL');
  };
  around.effect = (when) => pass('effect', when);
  return {
    hooks: {
      beforeCommit: () => pass('commit', 'before'),
      afterCommit: () => {
        pass('commit', 'after');
        if (!stopAfterIntent || !isIntended || isStopped) return;
        isStopped = true;
        stop();
      },
    },
    /** Looks at a batch on its way in, so that the commit after which to stop is known before it happens. */
    noticed(batch: Appended): Appended {
      isIntended ||= batch.entries.some(({ body }) => (JSON.parse(body) as { type: string }).type === 'intent');
      return batch;
    },
  };
}

async function perform(method: string, parameters: readonly never[]): Promise<unknown> {
  if (method === 'open') return open(...(parameters as unknown as [Opening]));
  if (runtime === undefined) throw new Error('open comes first');
  const [first, second, third] = parameters.map((value) => value ?? undefined) as unknown as [
    string,
    never,
    object | undefined,
  ]; // JSON has no undefined
  switch (method) {
    case 'start':
      return (await runtime.start(first, second, { budget: GENEROUS, ...third })).id;
    case 'resume-at':
      while (Date.now() < (third as unknown as number)) {
        // two processes meet here: the one that yields to its event loop would come late
      }
      return (await runtime.resume(first, second)).id;
    case 'resume':
      return (await runtime.resume(first, second)).id;
    case 'outcome':
      return runtime.handle(first).outcome();
    case 'finished':
      return runtime.handle(first).finished();
    case 'signal':
      return runtime.signal(first, second, third);
    case 'fork':
      return (await runtime.fork(first, second)).id;
    case 'clock':
      aheadMs = Number(first);
      return aheadMs;
    case 'strike':
      strike = { ...(first as unknown as Strike), passed: 0 };
      return null;
    case 'body-settled':
      return bodySettled(first);
    case 'close':
      return runtime.close();
    default:
      throw new Error(`unknown method ${method}`);
  }
}

const GENEROUS = budget({
  iterations: 1e6,
  toolCalls: 1e6,
  modelCalls: 1e6,
  tokensIn: 1e9,
  tokensOut: 1e9,
  costUsd: 1e6,
  wallMs: 1e9,
});

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { n, method, parameters } = JSON.parse(line) as { n: number; method: string; parameters: never[] };
    const say = (answer: object) => process.stdout.write(`${JSON.stringify({ n, ...answer })}\n`);
    perform(method, parameters).then(
      (value) => say({ value }),
      (error: { code?: string; message?: string }) => say({ code: error.code ?? 'UNKNOWN', message: error.message }),
    );
  })
  .on('close', () => process.exit(0)); // the test that started it is gone

tell('ready');
