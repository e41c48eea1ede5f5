import { setTimeout as pause } from 'node:timers/promises';
import { type Agent, done, type EffectClass, type Run, type Session } from 'flyball';
import { type LedgerClient, ledgerClient, scriptedModel } from 'flyball/testing';

/** An agent with a bit of everything, for processes that are killed and stopped while people decide about its runs. */

export interface StormJob {
  /** Address of the ledger. */
  readonly ledger: string;
  readonly rounds: number;
  /** Ends in a failure, after which everything has to be undone. */
  readonly fails?: boolean;
  readonly round?: number;
  readonly results?: readonly unknown[];
}

/** What happens to this process around an effect; its process program puts the accident here. */
export const around = { effect: (_when: 'before' | 'after'): void => undefined };

const openBodies = new Map<string, number>();

/**
 * Resolves when no body with this key runs here. The turns before let one begin whose INTENT is durable already, so
 * that after this answer none begins any more.
 */
export async function bodySettled(key: string): Promise<void> {
  do await pause(20);
  while ((openBodies.get(key) ?? 0) > 0);
}

type Acting = 'idempotent' | 'undoable' | 'irreversible';
const TIMEOUT_MS = 120_000;

/** What a service answers that has dealt with all it was sent before: also the last words of a process that died. */
export async function recordedFor(client: LedgerClient, key: string): Promise<boolean> {
  for (const settling of ['settling/1', 'settling/2']) await client.effect(settling);
  return (await client.effect(key)) !== undefined;
}

/** One line in the ledger. */
function toolFor(ledger: string, kind: Acting, name: string) {
  const client = ledgerClient(ledger);
  const execute = async ({ what }: { readonly what: string }, { key }: { readonly key: string }) => {
    openBodies.set(key, (openBodies.get(key) ?? 0) + 1);
    try {
      await pause(3);
      around.effect('before');
      await client.record(key, what, { dedupe: kind === 'idempotent' });
      around.effect('after');
      await pause(3);
      return `${kind} ${what}`;
    } finally {
      openBodies.set(key, (openBodies.get(key) ?? 1) - 1);
    }
  };
  const verify = async ({ what }: { readonly what: string }, { key }: { readonly key: string }) =>
    (await recordedFor(client, key))
      ? ({ happened: 'yes', result: `${kind} ${what}` } as const)
      : ({ happened: 'no' } as const);
  const compensate = async ({ what }: { readonly what: string }, _result: string, how: { readonly key: string }) => {
    around.effect('before');
    await client.record(how.key, `undo ${what}`, { dedupe: true });
    around.effect('after');
  };
  const rules = { timeoutMs: TIMEOUT_MS, simulate: ({ what }: { readonly what: string }) => `${kind} ${what}` };
  const effects: Record<Acting, EffectClass<{ readonly what: string }, string>> = {
    idempotent: { class: 'idempotent', ...rules },
    undoable: { class: 'undoable', verify, compensate, ...rules },
    irreversible: { class: 'irreversible', verify, ...rules },
  };
  return { name, description: `Writes down that ${name} was done.`, effect: effects[kind], execute };
}

const model = scriptedModel(
  { writer: ({ messages }) => `about ${messages.at(-1)?.content}` },
  { id: 'scripted/writer' },
);
const writer: Session = { name: 'writer', model, setup: 'You write one line.', sampling: { maxOutputTokens: 20 } };

/** What a round does to the world, in the words of the ledger. */
export const ACTS = ['store', 'book', 'file', 'rest', 'child', 'pay'] as const;

/** A generation a round: effects of all classes, branches, a child, a person who decides, and a signal. */
export const storm: Agent<StormJob, unknown> = async (root, job) => {
  const { ledger, rounds, round = 1, results = [] } = job;
  const run = root.scope(`round-${round}`);
  const act = async (on: Run, kind: Acting, name: (typeof ACTS)[number]): Promise<string> => {
    const result = await on.call(toolFor(ledger, kind, name), { what: `${name} ${round}` });
    return result.ok ? result.value : `not done: ${result.failure.code}`;
  };
  const stored = await act(run, 'idempotent', 'store');
  const branches = await run.all(
    [
      (on) => act(on, 'undoable', 'book'),
      (on) => act(on, 'idempotent', 'file'),
      async (on) => {
        await on.sleep(10);
        return act(on, 'undoable', 'rest');
      },
    ],
    3,
  );
  const child = await run.spawn(
    async (on: Run, n: number) => {
      const reply = await on.ask(writer, `round ${n}`);
      return done([reply.text, await act(on, 'undoable', 'child')]);
    },
    round,
    {},
  );
  const paid = await act(run, 'irreversible', 'pay');
  const answer = await run.wait<string>({ name: `go-${round}` });
  const settled = branches.map((branch) => (branch.ok ? branch.value : branch.error.message));
  const all = [...results, [stored, settled, 'value' in child ? child.value : child.stop, paid, answer]];
  if (round < rounds) root.continueWith({ ...job, round: round + 1, results: all });
  if (job.fails === true) throw new Error('planned failure');
  return done({ results: all, told: root.instructions().length });
};
