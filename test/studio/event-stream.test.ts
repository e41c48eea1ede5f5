import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type EventStream, openStream, type StreamState } from '../../packages/studio/src/api/event-stream.js';
import type { ApiError } from '../../packages/studio/src/api/problem.js';

/** A server that tells numbers from after the last id, and behaves at each connection as it is told. */
type Connection = (response: ServerResponse, from: number, request: IncomingMessage) => void;

const open: { server?: Server; stream?: EventStream } = {};

afterEach(async () => {
  open.stream?.close();
  open.server?.closeAllConnections();
  await new Promise((resolve) => open.server?.close(resolve) ?? resolve(undefined));
});

async function serve(connections: readonly Connection[]): Promise<string> {
  let nth = 0;
  const server = createServer((request, response) => {
    const last = request.headers['last-event-id'];
    const connection = connections[Math.min(nth++, connections.length - 1)];
    connection?.(response, last === undefined ? 0 : Number(last) + 1, request);
  });
  open.server = server;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

function tell(response: ServerResponse, from: number, to: number): void {
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (let id = from; id < to; id++) response.write(`id: ${id}\nevent: entry\ndata: ${id}\n\n`);
}

interface Heard {
  readonly data: string[];
  readonly states: StreamState[];
  why?: ApiError | undefined;
}

/** Listens until an event says `last`, or the stream is refused. */
function listen(
  address: string,
  last: string,
  options: { silenceMs?: number; failOnceAt?: string } = {},
): Promise<Heard> {
  const heard: Heard = { data: [], states: [] };
  let failed = false;
  return new Promise((resolve) => {
    open.stream = openStream(
      (lastId, signal) => fetch(address, { signal, headers: lastId === undefined ? {} : { 'last-event-id': lastId } }),
      { firstDelayMs: 5, longestDelayMs: 20, silenceMs: options.silenceMs ?? 5000 },
      {
        event: ({ data }) => {
          if (data === options.failOnceAt && !failed) {
            failed = true;
            throw new Error('could not be handled');
          }
          heard.data.push(data);
          return data === last ? 'stop' : undefined;
        },
        state: (state, why) => {
          heard.states.push(state);
          heard.why = why;
          if (state === 'closed' || state === 'refused') resolve(heard);
        },
      },
    );
  });
}

const numbers = (to: number) => Array.from({ length: to }, (_, id) => String(id));

describe('the event stream', () => {
  it('goes on after the last event it got when the connection breaks, with none lost and none twice [R6-STUDIO-LIVE]', async () => {
    const address = await serve([
      (response, from) => {
        tell(response, from, from + 3);
        setTimeout(() => response.destroy(), 20);
      },
      (response) => response.destroy(),
      (response) => response.writeHead(503).end('starting'),
      (response, from) => {
        tell(response, from, from + 4);
        response.end();
      },
      (response, from) => tell(response, from, 10),
    ]);
    const { data, states } = await listen(address, '9');
    expect(data).toEqual(numbers(10));
    expect(states.filter((state) => state === 'waiting')).toHaveLength(4);
    expect(states.at(-1)).toBe('closed');
  });

  it('asks again for an event that could not be handled [R6-STUDIO-LIVE]', async () => {
    const address = await serve([(response, from) => tell(response, from, 5)]);
    const { data } = await listen(address, '4', { failOnceAt: '2' });
    expect(data).toEqual(numbers(5));
  });

  it('takes a connection that says nothing any more for dead [R6-STUDIO-LIVE]', async () => {
    const address = await serve([(response) => tell(response, 0, 1), (response, from) => tell(response, from, 3)]);
    const { data } = await listen(address, '2', { silenceMs: 60 });
    expect(data).toEqual(numbers(3));
  });

  it('does not repeat what the server refuses for good, and hands over why', async () => {
    const problem = {
      title: 'Credentials are required',
      status: 401,
      detail: 'No key.',
      code: 'UNAUTHENTICATED',
      retryable: false,
      next: 'Send one.',
    };
    let asked = 0;
    const address = await serve([
      (response) => {
        asked++;
        response.writeHead(401, { 'content-type': 'application/problem+json' }).end(JSON.stringify(problem));
      },
    ]);
    const { states, why } = await listen(address, 'never');
    expect(states.at(-1)).toBe('refused');
    expect(why?.problem).toEqual(problem);
    expect(asked).toBe(1);
  });

  it('waits longer after each failure, and not at all when it is hurried [R6-STUDIO-LIVE]', async () => {
    let asked = 0;
    const address = await serve([
      (response) => {
        asked++;
        response.writeHead(503).end();
      },
    ]);
    const opened = openStream(
      (_, signal) => fetch(address, { signal }),
      { firstDelayMs: 10, longestDelayMs: 60_000 },
      { event: () => undefined },
    );
    open.stream = opened;
    await expect.poll(() => asked).toBeGreaterThan(2);
    expect(asked).toBeLessThan(10); // at the first delay it would be forty
    for (let more = 0; more < 8; more++) {
      const before = asked;
      await expect
        .poll(
          () => {
            opened.hurry(); // the next delay would be seconds, then minutes
            return asked;
          },
          { interval: 5 },
        )
        .toBeGreaterThan(before);
    }
  });
});
