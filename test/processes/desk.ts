import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createRuntime, type Entry, type EventOf, type EventType, type RunStatus, type Runtime } from 'flyball';
import { type SqliteEngine, sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { type LedgerServer, ledgerServer } from 'flyball/testing';

/** A database file, a ledger in a process of its own, and a look at both from a process that runs no agents. */
export interface Desk {
  readonly folder: string;
  readonly path: string;
  readonly ledger: LedgerServer;
  readonly engine: SqliteEngine;
  /** As a command line has it: it knows no agents and does no work of its own. */
  readonly runtime: Runtime;
  /** Resolves when the run stands like this. */
  rests(runId: string, ...statuses: readonly RunStatus[]): Promise<RunStatus>;
  events<T extends EventType>(runId: string, type: T): Promise<readonly EventOf<T>[]>;
  close(): Promise<void>;
}

export async function newDesk(): Promise<Desk> {
  const folder = mkdtempSync(join(tmpdir(), 'flyball-processes-'));
  const path = join(folder, 'runs.db');
  const engine = await sqliteEngine({ path, pollMs: 10 });
  const runtime = createRuntime({ engine, agents: {}, options: { worker: false } });
  const ledger = await ledgerServer();
  return {
    folder,
    path,
    ledger,
    engine,
    runtime,
    async rests(runId, ...statuses) {
      for (;;) {
        const { status } = await runtime.get(runId);
        if (statuses.includes(status)) return status;
        await pause(5);
      }
    },
    events: async (runId, type) => eventsOf(await runtime.entries(runId), type),
    async close() {
      await runtime.close();
      await engine.close();
      await ledger.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function eventsOf<T extends EventType>(entries: readonly Entry[], type: T): readonly EventOf<T>[] {
  return entries.flatMap(({ event }) => (event.type === type ? [event as EventOf<T>] : []));
}

/** Waits that nobody has answered yet, loaded or not. */
export async function openWaits(desk: Desk, runId: string): Promise<readonly EventOf<'wait-start'>[]> {
  const entries = await desk.runtime.entries(runId);
  const ended = new Set(eventsOf(entries, 'wait-end').map(({ id }) => id));
  return eventsOf(entries, 'wait-start').filter(({ id }) => !ended.has(id));
}

/** Somebody at another process who says yes to everything while the work lasts. */
export async function whileAnswering<T>(desk: Desk, runId: string, work: () => Promise<T>): Promise<T> {
  let isOver = false;
  const answering = (async () => {
    while (!isOver) {
      if ((await desk.engine.get(runId)) !== undefined) await answerAll(desk, runId);
      await pause(20);
    }
  })();
  answering.catch(() => undefined); // told below, once the work is over
  try {
    return await work();
  } finally {
    isOver = true;
    await answering;
  }
}

async function answerAll(desk: Desk, runId: string): Promise<void> {
  for (const { kind, name, token } of await openWaits(desk, runId)) {
    if (kind === 'doubt') continue; // left open on purpose: a run that needs a person here must not end
    const payload = kind === 'approval' ? { verdict: 'approve' } : `yes to ${name}`;
    const from = kind === 'approval' ? 'ann' : 'test'; // whoever tells a run something does not decide what it does
    await desk.runtime.signal(runId, token, payload, { id: token, from }).catch(ignoreEnded);
  }
}

/** Somebody else may have answered since it was looked at, or the run be over. */
function ignoreEnded(error: { readonly code?: string }): void {
  if (error.code !== 'ALREADY_TERMINAL' && error.code !== 'SIGNAL_UNEXPECTED') throw error;
}
