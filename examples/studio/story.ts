import { strict as assert } from 'node:assert';
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { systemClock } from 'flyball';
import type { FlyballServer } from 'flyball/server';

/** Where the demonstration takes place. */
export interface Place {
  readonly database: string;
  /** The file of the agents. */
  readonly agents: string;
  /** Nobody watches: short, and without words. */
  readonly checking: boolean;
}

export interface Begun {
  readonly watch: string;
  readonly refund: string;
  readonly crash: string;
}

const CLI = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const sleep = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

/** Something to see. Each start adds one of each; --fresh forgets the earlier ones. */
export async function begin({ parts }: FlyballServer, place: Place): Promise<Begun> {
  const at = systemClock().now().toString(36);
  const start = async (agent: string, input: unknown, id: string): Promise<string> => {
    const served = parts.directory.get(agent);
    assert(served !== undefined);
    await parts.fleet.start(agent, input, {
      budget: served.budget,
      id,
      subject: 'demonstration',
      source: place.agents,
    });
    return id;
  };
  const crash = `month-end-${at}`;
  killedHalfway(crash, place).catch((error: unknown) => console.error('The crash could not be shown:', error));
  const request = 'I cancelled order A-17 in time. Please send my money back.';
  return {
    crash,
    refund: await start('refund-desk', { request }, `refund-${at}`),
    watch: await start('night-watch', { berths: place.checking ? 2 : 40 }, `watch-${at}`),
  };
}

/** Another process runs it, and is killed while a booking is on its way. The server finds it and goes on. */
async function killedHalfway(id: string, { agents, database, checking }: Place): Promise<void> {
  const words = ['run', agents, '--agent', 'month-end', '--id', id, '--input', '{"month":"October"}', '--db', database];
  const child = spawn(process.execPath, [CLI, ...words, '--subject', 'demonstration'], { stdio: 'ignore' });
  process.once('exit', () => child.kill('SIGKILL')); // who stops this before the crash does not want it later
  await until(async () => (await booked(id)).length >= 2 || undefined, 'it booked nothing that could be interrupted');
  child.kill('SIGKILL');
  if (!checking)
    console.log(`  ${id}: process ${child.pid} was killed in the middle of a booking. The server takes the run over.`);
}

async function booked(id: string): Promise<readonly string[]> {
  const { linesOf } = await import('./tools.js'); // which reads where its books are when it is loaded
  return linesOf().filter((line) => line.startsWith(`${id}:`));
}

/** The story must not be better than the program. */
export async function check({ url, parts }: FlyballServer, begun: Begun): Promise<void> {
  const page = await fetch(`${url}/studio`);
  assert.equal(page.status, 200);
  const settled = await until(async () => {
    const [watch, crash, refund] = await Promise.all([begun.watch, begun.crash, begun.refund].map(card));
    return watch?.status === 'done' && crash?.status === 'done' && refund?.asks === 1 ? { crash } : undefined;
  }, 'the demonstration did not get there within a minute');
  assert.equal(settled.crash?.takeovers, 1, 'the killed run was taken over once');
  assert.equal((await booked(begun.crash)).length, 6, 'every line is in the books once');
  console.log(
    '  It holds: the watch is done, the refund waits for a person, the killed run was taken over and booked 6 lines once each.',
  );

  async function card(id: string) {
    const record = await parts.engine.get(id);
    return record === undefined ? undefined : parts.feed.card(record);
  }
}

async function until<T>(look: () => Promise<T | undefined>, otherwise: string): Promise<T> {
  const giveUp = systemClock().now() + 60_000;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    assert(systemClock().now() < giveUp, otherwise);
    await sleep(100);
  }
}
