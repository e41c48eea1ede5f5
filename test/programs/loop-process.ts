/**
 * A process that works on one tool loop until that is done, or until it is killed. Its job comes as one line of JSON on
 * stdin, so that the code is loaded before there is something to do; it tells on stdout, a line each, how far it is.
 */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { budget, createRuntime, type EventType, type Model, systemClock } from 'flyball';
import { type SqliteEngine, sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { openAiModel } from 'flyball/adapters/model-http';
import { toolLoop } from 'flyball/loops';
import { modelRouter } from 'flyball/models';
import { ledgerClient } from 'flyball/testing';
import { tool } from 'flyball/tools';

export interface LoopJob {
  /** The database, and the run in it: it is started where it is not there yet. */
  readonly path: string;
  readonly run: string;
  /** Addresses of the model and of the ledger. */
  readonly model: string;
  readonly ledger: string;
  /** How far the clock of this life is ahead: nothing in doubt is looked at before its deadline has passed. */
  readonly aheadMs: number;
  /** Somebody looks on while replies come. */
  readonly streams: boolean;
  /** Dies of SIGKILL at the first commit that holds such an entry: inside its transaction, or when it is durable. */
  readonly dieAt?: { readonly entry: EventType; readonly when: 'before' | 'after' };
  /** Tells that it is there, and goes no further. */
  readonly holdAt?: 'reply' | 'before-effect' | 'after-effect';
}

/** Far longer than it takes on the busiest machine; the clocks of later lives are further ahead than that. */
const TIMEOUT_MS = 120_000;

function tell(what: string, more: object = {}): void {
  process.stdout.write(`${JSON.stringify({ tell: what, ...more })}\n`);
}

/** Waits for the kill. */
async function hold(what: NonNullable<LoopJob['holdAt']>, job: LoopJob): Promise<void> {
  if (job.holdAt !== what) return;
  tell(what);
  await new Promise(() => setInterval(() => undefined, 1_000));
}

const LINE = { type: 'object', properties: { line: { type: 'string' } }, required: ['line'] } as const;

/** Three tools: one that only looks, one whose ledger honors keys, and one whose ledger does not. */
function toolsFor(job: LoopJob) {
  const client = ledgerClient(job.ledger);
  const record = async (key: string, line: unknown, dedupe: boolean): Promise<string> => {
    await hold('before-effect', job);
    await client.record(key, line, { dedupe });
    await hold('after-effect', job);
    return `done: ${String(line)}`;
  };
  return [
    tool({
      name: 'look',
      description: 'Looks at a line. Changes nothing.',
      input: LINE,
      effect: 'pure',
      execute: async ({ line }) => `seen: ${String(line)}`,
    }),
    tool({
      name: 'note_down',
      description: 'Notes a line down. Not for bookings.',
      input: LINE,
      effect: 'idempotent',
      timeoutMs: TIMEOUT_MS,
      execute: ({ line }, { key }) => record(key, line, true),
    }),
    tool({
      name: 'book',
      description: 'Books a line. Not for notes.',
      input: LINE,
      effect: 'undoable',
      timeoutMs: TIMEOUT_MS,
      verify: async ({ line }, { key }) =>
        (await client.effect(key)) === undefined
          ? ({ happened: 'no' } as const)
          : ({ happened: 'yes', result: `done: ${String(line)}` } as const),
      compensate: async ({ line }, _result, { key }) => {
        await client.record(key, `undo ${String(line)}`, { dedupe: true });
      },
      execute: ({ line }, { key }) => record(key, line, false),
    }),
  ];
}

/** The model over HTTP, held where the job says so. */
async function modelFor(job: LoopJob): Promise<Model> {
  const plain = openAiModel({ id: 'local/model', baseUrl: job.model, price: { input: 1, output: 1 } });
  const router = await modelRouter({
    resolve: () => plain,
    roles: { default: plain.id },
    clock: systemClock(),
    random: () => 0,
  });
  const model = router.forRole('default');
  return {
    ...model,
    async generate(request, how) {
      const reply = await model.generate(request, how);
      await hold('reply', job);
      return reply;
    },
  };
}

async function engineFor({ path, dieAt }: LoopJob): Promise<SqliteEngine> {
  let isNear = false;
  const die = (when: 'before' | 'after'): void => {
    if (isNear && dieAt?.when === when) process.kill(process.pid, 'SIGKILL');
  };
  const engine = await sqliteEngine({
    path,
    pollMs: 10,
    hooks: { beforeCommit: () => die('before'), afterCommit: () => die('after') },
  });
  return {
    ...engine,
    append(claim, batch) {
      isNear ||= batch.entries.some(({ body }) => (JSON.parse(body) as { type: string }).type === dieAt?.entry);
      return engine.append(claim, batch);
    },
  };
}

async function work(job: LoopJob): Promise<void> {
  const engine = await engineFor(job);
  const clerk = toolLoop({
    session: {
      name: 'clerk',
      model: await modelFor(job),
      setup: 'You keep a book.',
      sampling: { maxOutputTokens: 100 },
    },
    tools: toolsFor(job),
  });
  const clock = systemClock();
  const runtime = createRuntime({
    engine,
    agents: { clerk },
    clock: { ...clock, now: () => clock.now() + job.aheadMs },
    options: { maxResumes: 1_000, pollMs: 20 },
  });
  if (job.streams) runtime.subscribeDeltas(() => tell('piece'));
  const isKnown = (await engine.get(job.run)) !== undefined;
  const handle = isKnown
    ? await runtime.resume(job.run)
    : await runtime.start('clerk', 'Keep the book.', { id: job.run, budget: budget({ modelCalls: 500 }) });
  tell('ended', { outcome: await handle.finished() });
  await runtime.close();
  await engine.close();
}

const lines = createInterface({ input: process.stdin });
tell('ready');
const [line] = (await once(lines, 'line')) as [string];
await work(JSON.parse(line) as LoopJob);
process.exit(0);
