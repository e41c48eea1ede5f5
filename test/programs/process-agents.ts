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

/** Short, because nothing in doubt is looked at before it has passed. */
const TIMEOUT_MS = 300;

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

/** Says that it is about to act, waits a moment, acts, and says so. */
const transfer: Agent<
  Job & { readonly hold: 'before' | 'after' | 'never'; readonly approved?: boolean },
  string
> = async (run, { ledger, hold, approved = false }) => {
  const client = ledgerClient(ledger);
  const rules = {
    timeoutMs: 500,
    verify: async (_input: unknown, { key }: { readonly key: string }) =>
      (await client.effect(key)) === undefined
        ? ({ happened: 'no' } as const)
        : ({ happened: 'yes', result: 'verified' } as const),
  };
  await run.step('prepare', null, () => 'ready', 'pure');
  const result = await run.step(
    'transfer',
    { hold },
    async (_input, { key }) => {
      tell('about to act');
      await pause(hold === 'before' ? 150 : 0);
      await client.record(key, 'transfer');
      tell('acted');
      await pause(hold === 'after' ? 10_000 : 0);
      return 'acted';
    },
    approved ? { class: 'irreversible', ...rules } : { class: 'undoable', compensate: async () => undefined, ...rules },
  );
  return done(result);
};

/** Steps that take a moment each, so that a run has an owner for a while. */
const walk: Agent<{ readonly steps: number; readonly ms: number }, number> = async (run, { steps, ms }) => {
  for (let n = 0; n < steps; n++) await run.step('walk', n, (at) => pause(ms, at), 'idempotent');
  return done(steps);
};

const nap: Agent<{ readonly ms: number }, string> = async (run, { ms }) => {
  await run.sleep(ms);
  return done('rested');
};

const ask: Agent<null, unknown> = async (run) => done(await run.wait({ name: 'answer' }));

/** Waits for an answer while another branch keeps the run in memory. */
const busy: Agent<{ readonly ms: number }, unknown> = async (run, { ms }) => {
  const [answer] = await run.all<unknown>(
    [(on) => on.wait({ name: 'answer' }), (on) => on.step('work', ms, (long) => pause(long, 'worked'), 'pure')],
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
