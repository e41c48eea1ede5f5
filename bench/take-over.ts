// shows: R10-SHOW-TAKEOVER
/** How long a run stands still when the worker that holds it is killed: by proof, by its lease, and with Restate. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { postgresEngine } from '@flyball/postgres';
import { restateDispatcher } from '@flyball/restate';
import { budget, createRuntime, done, type Engine } from 'flyball';
import { balancer } from './measure/balancer.js';
import { figure, median, quantile } from './measure/figures.js';
import { heading, table } from './measure/report.js';

const KILLS = Number(process.argv[2] ?? 20);
const PROGRAM = fileURLToPath(new URL('./programs/taker.js', import.meta.url));
const url = process.env['FLYBALL_POSTGRES_URL'] ?? '';
const restate = process.env['FLYBALL_RESTATE_URL'];
const admin = process.env['FLYBALL_RESTATE_ADMIN'];

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { readonly port: number };
  server.close();
  return port;
}

async function ownerOf(engine: Engine, runId: string, other?: string) {
  for (;;) {
    const owner = (await engine.get(runId))?.owner;
    if (owner !== undefined && owner.id !== other) return owner;
    await pause(2);
  }
}

async function measure(
  kills: number,
  { isApart, at }: { readonly isApart: boolean; readonly at?: string | undefined },
) {
  const schema = `takeover_${process.pid}_${isApart ? 'apart' : 'same'}_${at === undefined ? 'lease' : 'restate'}`;
  const door = await balancer();
  const children = new Map<number, ChildProcess>();
  const common =
    at === undefined ? undefined : { url: at, ...(admin === undefined ? {} : { admin }), name: `t${process.pid}` };
  const raise = async () => {
    const port = await freePort();
    const own = common && { ...common, listen: `127.0.0.1:${port}`, address: door.url };
    door.ports.add(port);
    const child = spawn(process.execPath, [PROGRAM, JSON.stringify({ url, schema, isApart, restate: own })], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    children.set(child.pid ?? 0, child);
    child.once('exit', () => door.ports.delete(port));
    await once(child.stdout, 'data');
  };
  const engine = await postgresEngine({ url, schema, onNotice: () => undefined });
  await Promise.all([raise(), raise()]);
  const dispatcher = common && restateDispatcher(common);
  const desk = createRuntime({
    engine,
    agents: { walk: async () => done(null) },
    options: { worker: 'elsewhere' },
    ...(dispatcher === undefined ? {} : { dispatcher }),
  });
  const wide = budget({ toolCalls: 1e6, wallMs: 1e9, iterations: 1e6 });
  const took: number[] = [];
  while (took.length < kills) {
    // a run of its own for each kill: Restate waits longer with each failure of the same call, up to a second
    const runId = `walker-${took.length}`;
    await desk.start('walk', null, { id: runId, budget: wide });
    const { id, pid } = await ownerOf(engine, runId);
    await pause(200 + Math.random() * 200);
    const child = children.get(pid);
    if (child === undefined) throw new Error(`process ${pid} is none of ours`);
    const began = performance.now();
    child.kill('SIGKILL');
    await ownerOf(engine, runId, id);
    took.push(performance.now() - began);
    await desk.cancel(runId);
    children.delete(pid);
    await raise();
  }
  for (const child of children.values()) child.kill('SIGKILL');
  await desk.close();
  await dispatcher?.close();
  await engine.close();
  door.close();
  return took;
}

if (url === '') console.log('Set FLYBALL_POSTGRES_URL; and FLYBALL_RESTATE_URL (restate://host:8080) for Restate.');
else {
  const rows: (readonly string[])[] = [];
  const add = (name: string, took: readonly number[]) =>
    rows.push([
      name,
      String(took.length),
      figure(median(took)),
      figure(quantile(took, 0.95)),
      figure(Math.max(...took)),
    ]);
  add('same machine: the process is proven gone', await measure(KILLS, { isApart: false }));
  add('another machine: its lease ends', await measure(Math.max(2, Math.round(KILLS / 10)), { isApart: true }));
  if (restate !== undefined) add('another machine, with Restate', await measure(KILLS, { isApart: true, at: restate }));
  heading('Take-over of a run from a worker that was killed, until another one owns it');
  table(['How', 'kills', 'median ms', '95 % ms', 'most ms'], rows);
}
