import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type FlyballServer, jsonLog, openServer } from '@flyball/server';
import { systemClock } from 'flyball';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { toolRegistry } from 'flyball/tools';
import { OPTIONS, startOptions } from './start-options.js';
import { begin, beginElsewhere, check, type Place } from './story.js';

/**
 * `npm start`: the server and the studio over demonstration agents, with something to see at once: a run that goes on,
 * an approval that waits for you, and a run whose process is killed with kill -9 and which goes on here.
 */
const say = (text = '') => console.log(text);

async function main({ port, fresh, check: checking }: ReturnType<typeof startOptions>): Promise<void> {
  const folder = checking ? mkdtempSync(join(tmpdir(), 'flyball-studio-')) : resolve('.flyball', 'studio');
  process.env['FLYBALL_HARBOUR'] = folder; // the agents keep their books there
  if (checking) {
    process.env['FLYBALL_DEMONSTRATION'] = '1'; // only of a script is it known what it will say
    process.env['FLYBALL_BANK_MS'] = '300';
  }
  if (fresh) forget(folder);
  const place: Place = {
    database: join(folder, 'studio.db'),
    agents: fileURLToPath(new URL('./agents.js', import.meta.url)),
    checking,
  };
  const { agents, tools, demonstration, modelName } = await import('./agents.js');
  const engine = await sqliteEngine({ path: place.database });
  const leave = present(folder);
  const group = {
    agents,
    tools: toolRegistry(tools),
    source: place.agents,
    ...(demonstration === undefined ? {} : { demonstration }),
  };
  const crash = await beginElsewhere(engine, place);
  const server = await open(engine, group, checking ? 0 : port);
  try {
    welcome(server, demonstration ?? `The agents run on ${modelName}. Each of them has a budget.`);
    const begun = await begin(server, place, crash);
    if (checking) await check(server, begun);
    else await untilStopped();
  } finally {
    await server.close();
    await engine.close();
    leave();
    if (checking) rmSync(folder, { recursive: true, force: true });
  }
}

type Engine = Awaited<ReturnType<typeof sqliteEngine>>;
type Group = Parameters<typeof openServer>[0]['groups'][number];
const USUAL_PORT = 4747;

/** On the port asked for; where nobody asked, on the usual one, or on any other where that one is taken. */
async function open(engine: Engine, group: Group, port: number | undefined): Promise<FlyballServer> {
  const log = jsonLog(
    (line) => void (/"level":"(?:warn|error)"/.test(line) && process.stderr.write(line)),
    systemClock().now,
  );
  const on = (port: number) =>
    openServer({ engine, groups: [group], log, settings: { evals: resolve('.flyball/evals'), port } });
  if (port !== undefined) return on(port);
  try {
    return await on(USUAL_PORT);
  } catch (error) {
    if (!(error instanceof Error) || !error.message.includes('in use')) throw error;
    say(`\nPort ${USUAL_PORT} is in use, maybe by another npm start. Using a different port.`);
    return on(0);
  }
}

function welcome({ url }: FlyballServer, about: string): void {
  say(`\nFlyball studio: ${url}/studio\n`);
  say(`  ${about}\n`);
  say('  What to look at:');
  say('    Runs        night-watch runs for about a minute. Pause it, or go back in time and fork it.');
  say('    Inbox       refund-desk wants to refund 120 EUR and waits for your approval.');
  say(
    '    Runs        month-end runs in another process, which will be killed. A line below tells you when this process resumes the run.',
  );
  say('    Playground  start any agent yourself, or chat with harbor-desk.');
  say(`\n  API reference: ${url}/docs. No API key is needed on this machine. Press Ctrl-C to stop.\n`);
}

/** Says that this process uses the folder, for as long as it does. */
function present(folder: string): () => void {
  const file = join(folder, `npm-start-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, '');
  return () => rmSync(file, { force: true });
}

/** A database that is taken away from under a server is a server that fails at everything from then on. */
function forget(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const others = readdirSync(folder).flatMap((name) => /^npm-start-(\d+)$/.exec(name)?.[1] ?? []);
  const alive = others.find((pid) => isAlive(Number(pid)));
  if (alive !== undefined)
    throw new Error(`Another npm start (process ${alive}) uses ${folder}. Stop it first, or omit --fresh.`);
  rmSync(folder, { recursive: true, force: true });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function untilStopped(): Promise<void> {
  return new Promise((done) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => {
        say('\nStopping. Open runs continue with the next npm start; use --fresh to delete them.');
        done();
      });
  });
}

const options = startOptions(process.argv.slice(2));
if (options.help) say(OPTIONS);
else
  main(options).then(
    () => process.exit(0),
    (error: unknown) => {
      const what = options.check ? 'The demo check failed' : 'npm start';
      console.error(`\n${what}: ${error instanceof Error ? error.message : String(error)}`);
      process.exit(1);
    },
  );
