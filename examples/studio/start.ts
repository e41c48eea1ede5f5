import { strict as assert } from 'node:assert';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from 'flyball';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { type FlyballServer, jsonLog, openServer } from 'flyball/server';
import { toolRegistry } from 'flyball/tools';

/**
 * `npm start`: the server and the studio over demonstration agents, with something to see at once: a run that goes on,
 * an approval that waits for you, and a run whose process is killed with kill -9 and which goes on here.
 *
 *   npm start -- --port 8080     another port
 *   npm start -- --fresh         forget earlier runs
 *   npm start -- --check         bring all of it up, see that it holds, and leave
 */
const options = process.argv.slice(2);
const checking = options.includes('--check');
const folder = checking ? mkdtempSync(join(tmpdir(), 'flyball-studio-')) : resolve('.flyball', 'studio');
process.env['FLYBALL_HARBOUR'] = folder; // the agents keep their books there
const database = join(folder, 'studio.db');
const AGENTS = fileURLToPath(new URL('./agents.js', import.meta.url));
const CLI = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

const sleep = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));
const say = (text = '') => console.log(text);

async function main(): Promise<void> {
  if (options.includes('--fresh')) rmSync(folder, { recursive: true, force: true });
  const { agents, tools, demonstration } = await import('./agents.js');
  const engine = await sqliteEngine({ path: database });
  const group = {
    agents,
    tools: toolRegistry(tools),
    source: AGENTS,
    ...(demonstration === undefined ? {} : { demonstration }),
  };
  const server = await open(engine, group);
  try {
    welcome(server, demonstration);
    const begun = await begin(server);
    if (checking) await check(server, begun);
    else await untilStopped();
  } finally {
    await server.close();
    await engine.close();
    if (checking) rmSync(folder, { recursive: true, force: true });
  }
}

type Engine = Awaited<ReturnType<typeof sqliteEngine>>;
type Group = Parameters<typeof openServer>[0]['groups'][number];

/** On the usual port, or on any other where that one is taken. */
async function open(engine: Engine, group: Group): Promise<FlyballServer> {
  const at = options.indexOf('--port');
  const port = checking ? 0 : at >= 0 ? Number(options[at + 1]) : 4747;
  const log = jsonLog(
    (line) => void (line.includes('"level":"info"') || process.stderr.write(line)),
    systemClock().now,
  );
  const evals = resolve('.flyball/evals');
  const settings = { evals };
  try {
    return await openServer({ engine, groups: [group], log, settings: { ...settings, port } });
  } catch (error) {
    if (at >= 0 || !(error instanceof Error) || !error.message.includes('in use')) throw error;
    return openServer({ engine, groups: [group], log, settings: { ...settings, port: 0 } });
  }
}

function welcome({ url }: FlyballServer, demonstration: string | undefined): void {
  say(`\nFlyball studio: ${url}/studio\n`);
  if (demonstration !== undefined) say(`  ${demonstration}\n`);
  say('  Open it and look:');
  say('    Runs        night-watch goes on while you look; pause it, or slide back in time and fork it');
  say('    Inbox       refund-desk wants to pay 120 EUR back and waits for you');
  say(
    '    Runs        month-end: its process is killed with kill -9 in a moment; it goes on here, nothing is booked twice',
  );
  say('    Playground  start any agent yourself, or talk with harbour-desk');
  say(`\n  ${url}/docs has the API. No key is needed on this machine. Ctrl-C stops it.\n`);
}

interface Begun {
  readonly watch: string;
  readonly refund: string;
  readonly crash: string;
}

/** Something to see. Each start adds one of each; --fresh forgets the earlier ones. */
async function begin({ parts }: FlyballServer): Promise<Begun> {
  const at = systemClock().now().toString(36);
  const start = async (agent: string, input: unknown, id: string): Promise<string> => {
    const served = parts.directory.get(agent);
    assert(served !== undefined);
    await parts.fleet.start(agent, input, { budget: served.budget, id, subject: 'demonstration', source: AGENTS });
    return id;
  };
  const crash = `month-end-${at}`;
  killedHalfway(crash).catch((error: unknown) => console.error('The crash could not be shown:', error));
  return {
    crash,
    refund: await start(
      'refund-desk',
      { request: 'I cancelled order A-17 in time. Please send my money back.' },
      `refund-${at}`,
    ),
    watch: await start('night-watch', { berths: checking ? 3 : 40 }, `watch-${at}`),
  };
}

/** Another process runs it, and is killed while a payment is on its way. The server finds it and goes on. */
async function killedHalfway(id: string): Promise<void> {
  const words = ['run', AGENTS, '--agent', 'month-end', '--id', id, '--input', '{"month":"October"}', '--db', database];
  const child = spawn(process.execPath, [CLI, ...words], {
    stdio: 'ignore',
    env: { ...process.env, FLYBALL_HARBOUR: folder },
  });
  await sleep(4_000);
  child.kill('SIGKILL');
  if (!checking)
    say(`  ${id}: process ${child.pid} was killed in the middle of a booking. The server takes the run over.`);
}

/** The story must not be better than the program. */
async function check({ url, parts }: FlyballServer, begun: Begun): Promise<void> {
  const page = await fetch(`${url}/studio`);
  assert.equal(page.status, 200);
  const settled = await until(async () => {
    const [watch, crash, refund] = await Promise.all([begun.watch, begun.crash, begun.refund].map(card));
    return watch?.status === 'done' && crash?.status === 'done' && refund?.asks === 1 ? { crash } : undefined;
  });
  assert.equal(settled.crash?.takeovers, 1, 'the killed run was taken over once');
  const { linesOf } = await import('./tools.js');
  const booked = linesOf().filter((line) => line.includes('October'));
  assert.equal(booked.length, 6, 'every line is in the books once');
  say(
    '  It holds: the watch is done, the refund waits for a person, the killed run was taken over and booked 6 lines once each.',
  );

  async function card(id: string) {
    const record = await parts.engine.get(id);
    return record === undefined ? undefined : parts.feed.card(record);
  }
}

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  const giveUp = systemClock().now() + 60_000;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    assert(systemClock().now() < giveUp, 'the demonstration did not get there within a minute');
    await sleep(200);
  }
}

function untilStopped(): Promise<void> {
  return new Promise((done) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => done());
  });
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(`\nThe demonstration did not hold: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  },
);
