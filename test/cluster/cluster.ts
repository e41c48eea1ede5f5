import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../scripts/files.mjs';

const MAIN = join(root, 'packages/flyball/dist/cli/main.js');
const FLYBALL = join(root, 'packages/flyball/dist/index.js');

/** Each step writes a line with its key, so that one that was made twice shows. */
const AGENTS = `
import { appendFileSync } from 'node:fs';
import { done } from ${JSON.stringify(FLYBALL)};
const version = process.env.AGENT_VERSION;
const count = async (run, { to }) => {
  for (let n = 0; n < to; n++) {
    await run.step('count', n, (_, { key }) => appendFileSync(process.env.LEDGER, run.id + ' ' + n + ' ' + key + ' ' + version + '\\n'), 'idempotent');
    await run.sleep(100);
  }
  return done(version);
};
export const agents = { count: { agent: count, version } };
`;

export interface Member {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  kill(): Promise<void>;
  /** As a service manager stops it. Answers the exit code. */
  stop(): Promise<number | null>;
}

/** Servers and workers, each a process of its own, over one database, behind a small load balancer. */
export class Cluster {
  private readonly folder = mkdtempSync(join(tmpdir(), 'flyball-cluster-'));
  private readonly ledger = join(this.folder, 'ledger.txt');
  private readonly members = new Map<
    string,
    { readonly child: ChildProcess; readonly url: string; readonly role: string }
  >();
  private readonly database: string;
  private readonly dispatcher: (() => Promise<string>) | undefined;
  private balancer: Server | undefined;
  private turn = 0;

  /** `dispatcher` names one for each process, which may need a port of its own. */
  constructor(database: string, dispatcher?: () => Promise<string>) {
    this.database = database;
    this.dispatcher = dispatcher;
    writeFileSync(join(this.folder, 'agents.mjs'), AGENTS);
  }

  async start(name: string, role: 'api' | 'worker', version: string): Promise<Member> {
    const words = ['serve', 'agents.mjs', '--role', role, '--port', '0', '--json', '--quiet', '--drain', '20'];
    const { NODE_OPTIONS: _hooks, ...inherited } = process.env;
    const dispatcher = await this.dispatcher?.();
    const env = {
      ...inherited,
      ...(dispatcher === undefined ? {} : { FLYBALL_DISPATCHER: dispatcher }),
      ...{ FLYBALL_DB: this.database, AGENT_VERSION: version, LEDGER: this.ledger },
    };
    const child = spawn(process.execPath, [MAIN, ...words], {
      cwd: this.folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const url = await servingAt(child);
    this.members.set(name, { child, url, role });
    const ended = once(child, 'exit').then(([code]) => {
      this.members.delete(name);
      return code as number | null;
    });
    const end = async (signal: NodeJS.Signals): Promise<number | null> => {
      child.kill(signal);
      return ended;
    };
    return {
      name,
      url,
      pid: child.pid ?? 0,
      kill: async () => void (await end('SIGKILL')),
      stop: () => end('SIGTERM'),
    };
  }

  /** Sends each request to the next server that answers requests. */
  async balance(): Promise<string> {
    this.balancer = createServer((from, to) => {
      const servers = [...this.members.values()].filter(({ role }) => role === 'api');
      const server = servers[this.turn++ % servers.length];
      if (server === undefined) return void to.writeHead(503).end();
      const { hostname, port } = new URL(server.url);
      // under the name that was asked for, as balancers do: scripts of the studio are refused to pages of other names
      const { url: path, method, headers } = from;
      const onward = request({ hostname, port, path, method, headers }, (answer) => {
        to.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(to);
        answer.on('error', () => to.destroy());
        answer.on('aborted', () => to.destroy());
      });
      onward.on('error', () => (to.headersSent ? to.destroy() : to.writeHead(502).end()));
      from.pipe(onward);
    });
    this.balancer.listen(0, '127.0.0.1');
    await once(this.balancer, 'listening');
    return `http://127.0.0.1:${(this.balancer.address() as AddressInfo).port}`;
  }

  /** Lines that steps wrote: run, number, key, version. */
  steps(): readonly (readonly string[])[] {
    if (!existsSync(this.ledger)) return [];
    const text = readFileSync(this.ledger, 'utf8').trimEnd();
    return text.split('\n').map((line) => line.split(' '));
  }

  async flyball(...words: readonly string[]): Promise<string> {
    const { NODE_OPTIONS: _hooks, ...env } = process.env;
    const child = spawn(process.execPath, [MAIN, ...words], { env: { ...env, FLYBALL_DB: this.database } });
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    await once(child, 'close');
    return out;
  }

  async close(): Promise<void> {
    for (const { child } of [...this.members.values()]) {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
    this.balancer?.closeAllConnections();
    this.balancer?.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function servingAt(child: ChildProcess): Promise<string> {
  let said = '';
  return new Promise((resolve, reject) => {
    const hear = (text: string): void => {
      said += text;
      const line = said.split('\n').find((each) => each.includes('"serving"') && each.endsWith('}'));
      if (line !== undefined) resolve((JSON.parse(line) as { readonly url: string }).url);
    };
    child.stdout?.setEncoding('utf8').on('data', hear);
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
    child.once('exit', (code) => reject(new Error(`It ended with ${code}: ${said}`)));
  });
}
