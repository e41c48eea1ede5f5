import { existsSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { type Agent, done, type EffectClass, type Run, type Session } from 'flyball';
import { ledgerClient, scriptedModel } from 'flyball/testing';

/** The agents of the tests with real processes. What they do to the world is a line in a ledger of another process. */

interface Job {
  /** Address of the ledger. */
  readonly ledger: string;
}

/** Says something to the test that started this process. Pipes are written at once, so a kill right after loses nothing. */
export function tell(what: string): void {
  process.stdout.write(`${JSON.stringify({ tell: what })}\n`);
}

const model = scriptedModel(
  { writer: ({ messages }) => `about ${messages.at(-1)?.content}` },
  { id: 'scripted/writer' },
);
const writer: Session = { name: 'writer', model, setup: 'You write one line.', sampling: { maxOutputTokens: 20 } };

/**
 * Far longer than it takes on the busiest machine. Nothing in doubt is looked at before it has passed, so that a test
 * gives the clock of the next life a start of `LATER_MS` instead of waiting.
 */
const TIMEOUT_MS = 120_000;
export const LATER_MS = 300_000;

type Acting = 'idempotent' | 'undoable' | 'irreversible';

/** One line in the ledger, with some time before and after it for a kill to fall into. */
function act(run: Run, { ledger }: Job, kind: Acting, what: string): Promise<string> {
  const client = ledgerClient(ledger);
  const result = `${kind} ${what}`;
  const body = async (_input: string, { key, signal }: { readonly key: string; readonly signal: AbortSignal }) => {
    await pause(5);
    await client.record(key, what, { dedupe: kind === 'idempotent', signal });
    await pause(5);
    return result;
  };
  const verify = async (_input: string, { key }: { readonly key: string }) =>
    (await client.effect(key)) === undefined ? ({ happened: 'no' } as const) : ({ happened: 'yes', result } as const);
  const compensate = async (_input: string, _result: string, { key }: { readonly key: string }) => {
    await client.record(key, `undo ${what}`, { dedupe: true });
  };
  const rules: Record<Acting, EffectClass<string, string>> = {
    idempotent: { class: 'idempotent', timeoutMs: TIMEOUT_MS },
    undoable: { class: 'undoable', timeoutMs: TIMEOUT_MS, verify, compensate },
    irreversible: { class: 'irreversible', timeoutMs: TIMEOUT_MS, verify },
  };
  return run.step(kind, what, body, rules[kind]);
}

/** All effect classes, children, branches, waits and timers, round after round. */
const mixture: Agent<Job & { readonly rounds: number }, readonly unknown[]> = async (root, job) => {
  const results: unknown[] = [];
  for (let round = 1; round <= job.rounds; round++) {
    const run = root.scope(`round-${round}`);
    const seen = await run.step('look', round, (n) => pause(3, `seen ${n}`), 'pure');
    const stored = await act(run, job, 'idempotent', `store ${round}`);
    const branches = await run.all(
      [
        (on) => act(on, job, 'undoable', `book ${round}`),
        (on) => act(on, job, 'idempotent', `file ${round}`),
        async (on) => {
          await on.sleep(15);
          return act(on, job, 'undoable', `rest ${round}`);
        },
      ],
      3,
    );
    const child = await run.spawn(
      async (on: Run, n: number) => {
        const reply = await on.ask(writer, `round ${n}`);
        return done([reply.text, await act(on, job, 'undoable', `child ${n}`)]);
      },
      round,
      { share: 0.5 },
    );
    const paid = await act(run, job, 'irreversible', `pay ${round}`);
    const answer = await run.wait<string>({ name: `go-${round}` });
    const settled = branches.map((branch) => (branch.ok ? branch.value : branch.error.message));
    results.push([seen, stored, settled, 'value' in child ? child.value : child.stop, paid, answer]);
  }
  return done(results);
};

/** Says that it is about to act, waits until this file is there, acts, says so, and where it is held waits for its end. */
const transfer: Agent<
  Job & { readonly gate: string; readonly holds?: boolean; readonly approved?: boolean },
  string
> = async (run, { ledger, gate, holds = false, approved = false }) => {
  const client = ledgerClient(ledger);
  const rules = {
    timeoutMs: TIMEOUT_MS,
    verify: async (_input: unknown, { key }: { readonly key: string }) =>
      (await client.effect(key)) === undefined
        ? ({ happened: 'no' } as const)
        : ({ happened: 'yes', result: 'verified' } as const),
  };
  await run.step('prepare', null, () => 'ready', 'pure');
  const result = await run.step(
    'transfer',
    gate,
    async (mark, { key }) => {
      tell('about to act');
      await opened(mark);
      await client.record(key, 'transfer');
      tell('acted');
      if (holds) await new Promise(() => setInterval(() => undefined, 1_000));
      return 'acted';
    },
    approved ? { class: 'irreversible', ...rules } : { class: 'undoable', compensate: async () => undefined, ...rules },
  );
  return done(result);
};

/** Resolves when the file is there: until then a run has work in flight, however fast or slow the machine is. */
async function opened(gate: string): Promise<void> {
  while (!existsSync(gate)) await pause(5);
}

/** Steps that take a moment each. The last one waits for the gate, where there is one, so that a run has an owner till then. */
const walk: Agent<{ readonly steps: number; readonly gate?: string }, number> = async (run, { steps, gate }) => {
  for (let n = 1; n <= steps; n++) {
    const step = async (at: number) => {
      await (at < steps || gate === undefined ? pause(10) : opened(gate));
      return at;
    };
    await run.step('walk', n, step, 'idempotent');
  }
  return done(steps);
};

const nap: Agent<{ readonly ms: number }, string> = async (run, { ms }) => {
  await run.sleep(ms);
  return done('rested');
};

const ask: Agent<null, unknown> = async (run) => done(await run.wait({ name: 'answer' }));

/** Waits for an answer while another branch keeps the run in memory, until its gate is open. */
const busy: Agent<{ readonly gate: string }, unknown> = async (run, { gate }) => {
  const [answer] = await run.all<unknown>(
    [(on) => on.wait({ name: 'answer' }), (on) => on.step('work', gate, (file) => opened(file).then(() => 0), 'pure')],
    2,
  );
  return done(answer?.ok === true ? answer.value : null);
};

/** Takes its own process down in the middle of a step, for as long as nobody has repaired it. */
const fatal: Agent<{ readonly repaired: string }, string> = async (run, { repaired }) => {
  await run.step('first', null, () => 'fine', 'pure');
  const second = await run.step(
    'second',
    repaired,
    async (mark) => {
      await pause(30); // until the first result is durable
      if (!existsSync(mark)) process.kill(process.pid, 'SIGKILL');
      return 'survived';
    },
    'pure',
  );
  return done(second);
};

/** Goes down with its process once, in one of the ways in which processes end by accident. */
const stumble: Agent<{ readonly mark: string; readonly how: 'SIGKILL' | 'SIGSEGV' | 'uncaught' }, string> = async (
  run,
  { mark, how },
) => {
  await run.step('before', null, () => 'done before', 'idempotent');
  const result = await run.step(
    'stumble',
    how,
    async (cause) => {
      if (existsSync(mark)) return 'walked on';
      writeFileSync(mark, '');
      if (cause !== 'uncaught') process.kill(process.pid, cause);
      setImmediate(() => {
        throw new Error('nobody catches this');
      });
      return new Promise<never>(() => undefined);
    },
    'idempotent',
  );
  return done(result);
};

export const agents = { mixture, transfer, walk, nap, ask, busy, fatal, stumble };
