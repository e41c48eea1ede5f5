import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Balancer } from '../../bench/measure/balancer.js';
import { root } from '../../scripts/files.mjs';
import { freePort } from '../postgres/server.js';

const built = (path: string) => JSON.stringify(join(root, 'packages', path));

/**
 * A process that works on runs. Its agent writes lines into a ledger outside: some may be repeated under their key, which the
 * ledger ignores; others must not be, and can be looked up there.
 */
const PROGRAM = `
import { setTimeout as pause } from 'node:timers/promises';
import { createRuntime, done } from ${built('flyball/dist/index.js')};
import { ledgerClient } from ${built('flyball/dist/testing/index.js')};
import { postgresEngine } from ${built('postgres/dist/index.js')};
import { restateDispatcher } from ${built('restate/dist/index.js')};
const { url, schema, ledger: at, restate, options } = JSON.parse(process.argv[2]);
const ledger = ledgerClient(at);
const act = (run, kind, what) => {
  const body = async (_input, { key, signal }) => {
    await pause(5);
    await ledger.record(key, run.id + ' ' + what, { dedupe: kind === 'idempotent', signal });
    await pause(5);
    return what;
  };
  const verify = async (_input, { key }) => ((await ledger.effect(key)) === undefined ? { happened: 'no' } : { happened: 'yes', result: what });
  const rules = kind === 'idempotent' ? { class: kind } : { class: kind, verify, compensate: async () => undefined };
  return run.step(kind, what, body, { ...rules, timeoutMs: 3_000 });
};
const work = async (run, { rounds }) => {
  for (let n = 1; n <= rounds; n++) {
    await act(run, 'idempotent', 'store ' + n);
    const rest = async (on) => {
      await on.sleep(60);
      return act(on, 'undoable', 'rest ' + n);
    };
    await run.all([(on) => act(on, 'undoable', 'book ' + n), rest], 2);
    await act(run, 'undoable', 'pay ' + n);
    await run.wait({ name: 'go-' + n });
  }
  return done(rounds);
};
const walk = async (run, { steps, ms }) => {
  for (let n = 0; n < steps; n++) await run.step('walk', n, () => pause(ms), 'idempotent');
  return done(steps);
};
const onProblem = () => undefined;
const engine = await postgresEngine({ url, schema, onNotice: onProblem });
const dispatcher = restate === undefined ? undefined : restateDispatcher({ ...restate, onProblem });
createRuntime({ engine, agents: { work, walk }, onProblem, options: { suspendAfterMs: 20, maxResumes: 1_000, ...options }, ...(dispatcher === undefined ? {} : { dispatcher }) });
await dispatcher?.ready();
console.log('ready');
process.stdin.resume().on('end', () => process.exit(0));
`;

export interface Given {
  readonly url: string;
  readonly schema: string;
  readonly ledger: string;
  readonly restate?: object;
  readonly options?: object;
}

/** Processes behind one address that die and are replaced. */
export class WorkProcesses {
  private readonly folder = mkdtempSync(join(tmpdir(), 'flyball-workers-'));
  private readonly children = new Map<number, { readonly child: ChildProcess; readonly port: number }>();
  private readonly given: Given;
  private readonly balancer: Balancer;

  constructor(given: Given, balancer: Balancer) {
    this.given = given;
    this.balancer = balancer;
    writeFileSync(join(this.folder, 'worker.mjs'), PROGRAM);
  }

  get pids(): readonly number[] {
    return [...this.children.keys()];
  }

  /** Resolves when it can be called: behind the balancer, or at its own address. */
  async raise(where: 'balanced' | 'direct' = 'balanced'): Promise<number> {
    const port = await freePort();
    const address = where === 'direct' ? {} : { address: this.balancer.url };
    const { restate, ...given } = this.given;
    const told = {
      ...given,
      ...(restate === undefined ? {} : { restate: { ...restate, listen: `127.0.0.1:${port}`, ...address } }),
    };
    const { NODE_OPTIONS: _hooks, ...env } = process.env;
    const child = spawn(process.execPath, [join(this.folder, 'worker.mjs'), JSON.stringify(told)], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env,
    });
    this.balancer.ports.add(port); // Restate looks at it while it registers
    const pid = child.pid ?? 0;
    this.children.set(pid, { child, port });
    const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`a worker ended with ${code}`)));
    await Promise.race([once(child.stdout, 'data'), ended]);
    ended.catch(() => undefined);
    return pid;
  }

  async kill(pid: number): Promise<void> {
    const found = this.children.get(pid);
    if (found === undefined) return;
    const gone = once(found.child, 'exit');
    found.child.kill('SIGKILL');
    await gone;
    this.children.delete(pid);
    this.balancer.ports.delete(found.port);
  }

  /** Stands still, and is not dead. */
  freeze(pid: number): void {
    this.children.get(pid)?.child.kill('SIGSTOP');
  }

  async close(): Promise<void> {
    for (const pid of this.pids) await this.kill(pid);
    rmSync(this.folder, { recursive: true, force: true });
  }
}
