import { connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Agent, done } from 'flyball';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../packages/flyball/src/adapters/host-node/system-clock.js';
import { eventStream } from '../../packages/server/src/feed/event-stream.js';
import { readEvents } from './sse-reader.js';
import { type ServerStage, serverStage, standardGroup } from './stage-server.js';

const STEPS = 160;
const SIZE = 50_000;

/** Writes eight megabytes into its journal: far more than sockets hold. */
const talkative: Agent<unknown, number> = async (run) => {
  for (let n = 0; n < STEPS; n++) await run.step(`say-${n}`, null, async () => `${n} `.repeat(SIZE / 4), 'pure');
  return done(STEPS);
};

let stage: ServerStage;
beforeAll(async () => {
  const group = standardGroup();
  stage = await serverStage({ groups: [{ ...group, agents: { ...group.agents, talkative } }] });
});
afterAll(() => stage.close());

/** Asks for the events of a run and never reads a byte of them. */
async function deaf(path: string): Promise<Socket> {
  const { port } = stage.server;
  const socket = connect({ host: '127.0.0.1', port });
  socket.pause();
  socket.on('error', () => undefined); // the server may give it up first
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()));
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
  return socket;
}

/** What is left after collection, buffers included. */
function heldBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

describe('a reader that does not read', () => {
  it('holds back no run and no other reader, and memory stays bounded [R6-SHOW-SLOW-READER]', async () => {
    const run = async (deafReaders: number): Promise<number> => {
      const { id } = (await stage.call('POST', '/v1/runs', { body: { agent: 'talkative' } })).body;
      const sockets = await Promise.all(Array.from({ length: deafReaders }, () => deaf(`/v1/runs/${id}/events`)));
      // comes to its end while none of the others has taken anything
      const events = await (await readEvents(`${stage.url}/v1/runs/${id}/events`)).rest();
      const entries = events.filter(({ event }) => event === 'entry');
      expect(entries.map(({ id: position }) => position)).toEqual(entries.map((_, seq) => `0.${seq}`));
      expect(entries.length).toBeGreaterThan(STEPS);
      const { readers, ringBytes } = stage.server.parts.feed.stats();
      expect(readers).toBe(deafReaders);
      expect(ringBytes).toBeLessThan(2_000_000);
      const bytes = heldBytes();
      for (const socket of sockets) socket.destroy();
      await expect.poll(() => stage.server.parts.feed.stats().readers).toBe(0);
      return bytes;
    };
    const alone = await run(0);
    const together = await run(20);
    // twenty readers that queued all of it would hold 160 MB
    expect(together - alone).toBeLessThan(40e6);
  });

  it('gets every entry when it reads after all [R6-SHOW-SLOW-READER]', async () => {
    const { id } = (await stage.call('POST', '/v1/runs', { body: { agent: 'talkative' } })).body;
    const socket = await deaf(`/v1/runs/${id}/events`);
    await expect.poll(async () => (await stage.call('GET', '/v1/runs?limit=1')).body.runs[0].status).toBe('done');
    let text = '';
    socket.resume();
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    await expect.poll(() => text.includes('event: end')).toBe(true);
    const seqs = [...text.matchAll(/\bid: 0\.(\d+)\n/g)].map(([, seq]) => Number(seq));
    expect(seqs).toEqual(seqs.map((_, seq) => seq));
    expect(seqs.length).toBeGreaterThan(STEPS);
    socket.destroy();
  });
});

describe('a stream', () => {
  const write = (text: string): string => text;
  const options = { clock: systemClock(), heartbeatMs: 10_000, signal: new AbortController().signal, write };

  it('reads nothing ahead of its reader and gives it up when it takes nothing for too long [R6-SHOW-SLOW-READER]', async () => {
    let made = 0;
    let ended = 0;
    async function* source(): AsyncIterable<string> {
      for (;;) {
        made++;
        yield `event: ${made}\n\n`;
      }
    }
    const stream = eventStream(source, { ...options, deadMs: 40, onEnd: () => ended++ });
    const reader = stream.getReader();
    for (let n = 0; n < 3; n++) await reader.read();
    expect(made).toBe(2); // the first piece says when to come back
    await expect(reader.closed).rejects.toThrow('did not read');
    expect(ended).toBe(1);
    expect(made).toBe(2);
  });

  it('stops its source when the reader goes', async () => {
    let state = 'not begun';
    async function* source(signal: AbortSignal): AsyncIterable<string> {
      state = 'begun';
      try {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      } finally {
        state = 'stopped';
      }
    }
    const reader = eventStream(source, { ...options, deadMs: 1_000, onEnd: () => undefined }).getReader();
    await reader.read();
    const pending = reader.read();
    await expect.poll(() => state).toBe('begun');
    await reader.cancel();
    await pending;
    await expect.poll(() => state).toBe('stopped');
  });
});
