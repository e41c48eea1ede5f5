import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { budget as complete, createRuntime, done, type RunRecord, type Runtime, type Store } from 'flyball';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { turns, type VirtualClock, virtualClock } from 'flyball/testing';
import { onTestFinished } from 'vitest';
import { jsonLog } from '../../packages/server/src/log.js';
import { openTriggers, type Triggers } from '../../packages/server/src/triggers/open-triggers.js';
import type { Trigger } from '../../packages/server/src/triggers/trigger.js';
import type { TriggerParts } from '../../packages/server/src/triggers/trigger-parts.js';

/** One process with triggers: a runtime and a store of its own over the database that all of them share. */
export interface TriggerHost {
  readonly triggers: Triggers;
  readonly runtime: Runtime;
  readonly store: Store;
  /** Lines of its log. */
  readonly lines: Record<string, unknown>[];
  /** Ends it as a kill would: nothing is closed in order. */
  die(): void;
  close(): Promise<void>;
}

export class TriggerStage {
  readonly clock: VirtualClock;
  readonly env: Record<string, string> = {
    HOOK_SECRET: 'a secret of the hook',
    NEXT_SECRET: 'a secret that follows it',
  };
  private readonly folder = mkdtempSync(join(tmpdir(), 'flyball-triggers-'));
  private readonly closers: (() => Promise<void>)[] = [];

  constructor(start?: number) {
    this.clock = virtualClock(start);
    onTestFinished(async () => {
      for (const close of this.closers) await close();
      rmSync(this.folder, { recursive: true, force: true });
    });
  }

  async open(triggers: readonly Trigger[], change: Partial<TriggerParts> = {}): Promise<TriggerHost> {
    const engine = await sqliteEngine({ path: join(this.folder, 'runs.db') });
    const { clock } = this;
    const agents = { echo: async (_run: unknown, input: unknown) => done(input) };
    const runtime: Runtime = createRuntime({ engine, clock, agents, options: { worker: false } });
    const lines: Record<string, unknown>[] = [];
    const log = jsonLog(
      (line) => lines.push(JSON.parse(line) as Record<string, unknown>),
      () => clock.now(),
    );
    let isDead = false;
    const mortal: VirtualClock = {
      ...clock,
      after: (ms, callback, how) => clock.after(ms, () => isDead || callback(), how),
    };
    const start: TriggerParts['start'] = (agent, input, { budget, ...rest }) =>
      runtime.start(agent, input, { ...rest, budget: complete(budget) });
    const parts: TriggerParts = {
      start,

      store: engine.store,
      clock: mortal,
      log,
      env: this.env,
      ...change,
    };
    const opened = await openTriggers(parts, triggers);
    const close = async (): Promise<void> => {
      const wasKilled = isDead;
      isDead = true;
      if (!wasKilled) await opened.close();
      runtime.abandon();
      await engine.close();
    };
    let isClosed = false;
    const once = async (): Promise<void> => {
      if (isClosed) return;
      isClosed = true;
      await close();
    };
    this.closers.push(once);
    return {
      triggers: opened,
      runtime,
      store: engine.store,
      lines,
      die: () => {
        isDead = true;
        runtime.abandon();
      },
      close: once,
    };
  }

  /** Time passes a minute at a time, so that every server notices what is due when it is due. */
  async pass(ms: number, stepMs = 60_000): Promise<void> {
    for (let left = ms; left > 0; left -= stepMs) {
      await this.clock.advance(Math.min(left, stepMs));
      await turns(20);
    }
  }
}

/** The runs that triggers started, oldest first. */
export async function runsOf(host: TriggerHost): Promise<readonly RunRecord[]> {
  const { runs } = await host.runtime.list({ limit: 1000 });
  return [...runs].sort((a, b) => a.createdAt - b.createdAt);
}
