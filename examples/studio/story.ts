import { strict as assert } from 'node:assert';
import type { FlyballServer } from '@flyball/server';
import { createRuntime, type Entry, systemClock } from 'flyball';
import type { SqliteEngine } from 'flyball/adapters/engine-sqlite';
import { type Crash, holdElsewhere, killAndFollow } from './crash.js';

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
  readonly crash: Crash;
  /** Settles when the journal has the takeover, or with why there is none. */
  readonly takenOver: Promise<void>;
}

const sleep = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));
/** Under load everything takes longer, and nothing of it is wrong. */
const PATIENCE_MS = 180_000;

/**
 * Before there is a server: a process that holds a run and works on it. A server that is already there would take the run
 * up itself, and nothing would be left to take over.
 */
export function beginElsewhere(engine: SqliteEngine, place: Place): Promise<Crash> {
  return holdElsewhere(engine, { ...place, id: `month-end-${systemClock().now().toString(36)}` }, until);
}

/** Something to see. Each start adds one of each; --fresh forgets the earlier ones. */
export async function begin({ parts }: FlyballServer, place: Place, crash: Crash): Promise<Begun> {
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
  const enough = async () => (await booked(crash.id)).length >= 2;
  const takenOver = killAndFollow(crash, { journal: entriesIn(parts.engine), enough, until });
  takenOver.catch((error: unknown) => console.error('The crash demo failed:', error));
  const request = 'I cancelled order A-17 in time. Please send my money back.';
  return {
    crash,
    takenOver,
    refund: await start('refund-desk', { request }, `refund-${at}`),
    watch: await start('night-watch', { berths: place.checking ? 2 : 40 }, `watch-${at}`),
  };
}

/** With their owners, which the server's own pages leave out. */
function entriesIn(engine: FlyballServer['parts']['engine']): (id: string) => Promise<readonly Entry[]> {
  const reader = createRuntime({ engine, agents: {}, options: { worker: false } });
  return (id) => reader.entries(id);
}

async function booked(id: string): Promise<readonly string[]> {
  const { linesOf } = await import('./tools.js'); // which reads where its books are when it is loaded
  return linesOf().filter((line) => line.startsWith(`${id}:`));
}

/** The story must not be better than the program. */
export async function check({ url, parts }: FlyballServer, begun: Begun): Promise<void> {
  const page = await fetch(`${url}/studio`);
  assert.equal(page.status, 200);
  await begun.takenOver;
  const settled = await until(async () => {
    const [watch, crash, refund] = await Promise.all([begun.watch, begun.crash.id, begun.refund].map(card));
    return watch?.status === 'done' && crash?.status === 'done' && refund?.asks === 1 ? { crash } : undefined;
  }, 'the demo did not finish within three minutes');
  assert.equal(settled.crash?.takeovers, 1, 'the killed run was taken over once');
  assert.equal((await booked(begun.crash.id)).length, 6, 'every line is in the books once');
  console.log(
    '  The check passed: the watch is done, the refund waits for a person, the killed run was resumed and booked each of its 6 lines once.',
  );

  async function card(id: string) {
    const record = await parts.engine.get(id);
    return record === undefined ? undefined : parts.feed.card(record);
  }
}

async function until<T>(look: () => Promise<T | undefined>, otherwise: string): Promise<T> {
  const giveUp = systemClock().now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    assert(systemClock().now() < giveUp, otherwise);
    await sleep(100);
  }
}
