import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { root } from '../../scripts/files.mjs';
import { freePort } from '../postgres/server.js';

const PLATFORM = `restate-server-${process.platform}-${process.arch}`;
const BINARY =
  process.env['RESTATE_SERVER'] ??
  join(root, `.cache/peers/restate/node_modules/@restatedev/${PLATFORM}/bin/restate-server`);
/** What users are told to start it with. */
const CONFIG = join(root, 'packages/restate/restate.toml');

/** Why there can be no Restate here; undefined where there can be one. */
export function whyNoRestate(): string | undefined {
  if (existsSync(BINARY)) return undefined;
  return 'restate-server is not installed (bash .ci/run peers installs it, or set RESTATE_SERVER)';
}

interface Node {
  readonly ingress: number;
  readonly admin: number;
  readonly fabric: number;
  readonly folder: string;
}

/** A Restate of its own, of one node or several, in a folder that goes with it. */
export class TestRestate {
  private readonly folder = mkdtempSync(join(tmpdir(), 'flyball-restate-'));
  private readonly nodes: readonly Node[];
  private readonly children = new Map<number, ChildProcess>();
  private era = 0;

  private constructor(nodes: readonly Omit<Node, 'folder'>[]) {
    this.nodes = nodes.map((node, n) => ({ ...node, folder: join(this.folder, `node-${n}`) }));
  }

  static async start(size = 1): Promise<TestRestate> {
    const ports = async () => ({ ingress: await freePort(), admin: await freePort(), fabric: await freePort() });
    const nodes = [];
    for (let n = 0; n < size; n++) nodes.push(await ports());
    const restate = new TestRestate(nodes);
    for (let n = 0; n < size; n++) restate.spawn(n);
    await restate.ready();
    return restate;
  }

  get size(): number {
    return this.nodes.length;
  }

  get urls(): readonly string[] {
    return this.nodes.map(({ ingress }) => `http://127.0.0.1:${ingress}`);
  }

  get admins(): readonly string[] {
    return this.nodes.map(({ admin }) => `http://127.0.0.1:${admin}`);
  }

  /** As for `--dispatcher`. */
  address(options: Readonly<Record<string, string>>): string {
    const query = { admin: this.admins.join(','), ...options };
    const hosts = this.nodes.map(({ ingress }) => `127.0.0.1:${ingress}`).join(',');
    return `restate://${hosts}?${new URLSearchParams(query)}`;
  }

  /** Ends a node as a loss of power does. */
  async kill(n = 0): Promise<void> {
    const child = this.children.get(n);
    if (child === undefined) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    this.children.delete(n);
  }

  async revive(n = 0): Promise<void> {
    this.spawn(n);
    await this.ready(n);
  }

  /** A Restate that has lost everything comes back at the same place. */
  async replace(): Promise<void> {
    await this.kill();
    this.era += 1;
    rmSync(this.nodes[0]?.folder ?? '', { recursive: true, force: true });
    await this.revive();
  }

  /** Rows of its own tables: what it knows of calls. */
  async rows(query: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const answer = await fetch(`${this.admins[0]}/query`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ query }),
    });
    return ((await answer.json()) as { readonly rows: Readonly<Record<string, unknown>>[] }).rows;
  }

  async remove(): Promise<void> {
    for (let n = 0; n < this.size; n++) await this.kill(n);
    rmSync(this.folder, { recursive: true, force: true });
  }

  private spawn(n: number): void {
    const log = openSync(join(this.folder, `node-${n}.log`), 'a');
    const child = spawn(BINARY, ['--config-file', CONFIG], { stdio: ['ignore', log, log], env: this.envOf(n) });
    this.children.set(n, child);
  }

  private envOf(n: number): NodeJS.ProcessEnv {
    const { ingress = 0, admin = 0, fabric = 0, folder = '' } = this.nodes[n] ?? {};
    const cluster: NodeJS.ProcessEnv =
      this.size === 1
        ? {}
        : {
            RESTATE_METADATA_CLIENT__ADDRESSES: JSON.stringify(
              this.nodes.map((node) => `http://127.0.0.1:${node.fabric}`),
            ),
          };
    return {
      PATH: process.env['PATH'],
      HOME: this.folder,
      RESTATE_LOG_FILTER: 'warn',
      RESTATE_DISABLE_TELEMETRY: 'true',
      DO_NOT_TRACK: '1',
      RESTATE_BASE_DIR: folder,
      RESTATE_NODE_NAME: `node-${n}`,
      RESTATE_CLUSTER_NAME: `flyball-${this.era}`,
      RESTATE_BIND_ADDRESS: `127.0.0.1:${fabric}`,
      RESTATE_ADVERTISED_ADDRESS: `http://127.0.0.1:${fabric}`,
      RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
      RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
      RESTATE_AUTO_PROVISION: String(n === 0),
      RESTATE_DEFAULT_REPLICATION: String(Math.min(2, this.size)),
      RESTATE_DEFAULT_NUM_PARTITIONS: '4',
      ...cluster,
    };
  }

  private async ready(only?: number): Promise<void> {
    const wanted = only === undefined ? this.nodes.map((_, n) => n) : [only];
    for (const n of wanted) {
      const isUp = async () =>
        (await fetch(`${this.admins[n]}/health`)).ok && (await fetch(`${this.urls[n]}/restate/health`)).ok;
      while (!(await isUp().catch(() => false))) {
        if (this.children.get(n)?.exitCode != null)
          throw new Error(`Restate ended: ${readFileSync(join(this.folder, `node-${n}.log`), 'utf8').slice(-2_000)}`);
        await pause(20);
      }
    }
  }
}
