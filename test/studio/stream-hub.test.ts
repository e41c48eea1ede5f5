import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { StreamEvent } from '../../packages/studio/src/api/sse-parser.js';
import { addressOf, type FromHub, isAfter } from '../../packages/studio/src/live/hub-messages.js';
import { StreamHub } from '../../packages/studio/src/live/stream-hub.js';
import { TabStreams } from '../../packages/studio/src/live/tab-streams.js';

/** A server of which every connection is kept, to write into or to break. */
class Connections {
  readonly all: { readonly address: string; readonly signal: AbortSignal; tell(text: string): void; lose(): void }[] =
    [];

  readonly connect = async (address: string, _key: string | undefined, signal: AbortSignal): Promise<Response> => {
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
    const body = new ReadableStream<Uint8Array>({
      start: (given) => {
        controller = given;
      },
    });
    signal.addEventListener('abort', () => {
      try {
        controller?.error(new Error('aborted'));
      } catch {
        // it was over before
      }
    });
    const tell = (text: string) => controller?.enqueue(new TextEncoder().encode(text));
    this.all.push({ address, signal, tell, lose: () => controller?.close() });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };

  get open() {
    return this.all.filter(({ signal }) => !signal.aborted);
  }

  get last() {
    const last = this.all.at(-1);
    if (last === undefined) throw new Error('Nobody has connected.');
    return last;
  }
}

const entry = (run: string, id: string): string =>
  `event: run\ndata: ${JSON.stringify({ run, event: 'entry', id, data: { at: id } })}\n\n`;

/** A tab before the hub, with all it heard. */
function tab(hub: StreamHub, key?: string) {
  const streams = new TabStreams(
    (given, hear) => {
      const port = { postMessage: (message: FromHub) => hear(structuredClone(message)) };
      return { key: given, send: (message) => hub.hear(port, structuredClone(message)) };
    },
    () => key,
  );
  const heard: string[] = [];
  const states: string[] = [];
  const follow = (run: string, each: (event: StreamEvent) => 'stop' | undefined = () => undefined) =>
    streams.follow(`run:${run}`, undefined, {
      event: (event) => {
        const answer = each(event);
        heard.push(`${run} ${event.event} ${event.id ?? ''}`.trim());
        return answer;
      },
      state: (state) => states.push(state),
    });
  return { streams, heard, states, follow };
}

let server: Connections;
let hub: StreamHub;
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

beforeEach(() => {
  vi.useFakeTimers();
  server = new Connections();
  hub = new StreamHub({ connect: server.connect });
});
afterEach(() => vi.useRealTimers());

describe('one stream for all tabs', () => {
  it('follows eight runs of eight tabs over one connection, each told of its own [F-D1]', async () => {
    const tabs = Array.from({ length: 8 }, (_, n) => {
      const one = tab(hub);
      one.follow(`r${n}`);
      return one;
    });
    await pass(50);
    expect(server.open).toHaveLength(1);
    for (let n = 0; n < 8; n++) server.last.tell(entry(`r${n}`, '0.0'));
    await pass(1);
    for (const [n, { heard, states }] of tabs.entries()) {
      expect(heard).toEqual([`r${n} entry 0.0`]);
      expect(states).toEqual(['connecting', 'open']);
    }
  });

  it('loses and doubles nothing when a tab comes, and the others stay live [F-D1]', async () => {
    const [first, second] = [tab(hub), tab(hub)];
    first.follow('r1');
    await pass(50);
    server.last.tell(entry('r1', '0.0') + entry('r1', '0.1'));
    await pass(1);
    second.follow('r1'); // knows nothing of it yet
    second.follow('r2');
    await pass(50);
    expect(server.open).toHaveLength(1);
    expect(decodeURIComponent(server.last.address)).toBe('/v1/events?runs=r1,r2&cards=false');
    server.last.tell(entry('r1', '0.0') + entry('r1', '0.1') + entry('r1', '0.2'));
    await pass(1);
    expect(first.heard).toEqual(['r1 entry 0.0', 'r1 entry 0.1', 'r1 entry 0.2']);
    expect(second.heard).toEqual(['r1 entry 0.0', 'r1 entry 0.1', 'r1 entry 0.2']);
    expect(first.states).toEqual(['connecting', 'open']);
  });

  it('lets go of the connection of a hidden tab, and reads on where it stood [F-D1]', async () => {
    const one = tab(hub);
    one.follow('r1');
    await pass(50);
    server.last.tell(entry('r1', '0.0'));
    await pass(1);
    one.streams.hide();
    await pass(9_000);
    expect(server.open).toHaveLength(1);
    await pass(2_000);
    expect(server.open).toHaveLength(0);
    one.streams.show();
    await pass(50);
    expect(decodeURIComponent(server.last.address)).toBe('/v1/events?runs=r1@0.0&cards=false');
    server.last.tell(entry('r1', '0.1'));
    await pass(1);
    expect(one.heard).toEqual(['r1 entry 0.0', 'r1 entry 0.1']);
  });

  it('comes back after a loss from the position of each run, and a tab that died is forgotten [F-D1]', async () => {
    const [first, dead] = [tab(hub), tab(hub)];
    first.follow('r1');
    dead.follow('r2');
    await pass(50);
    server.last.tell(entry('r1', '0.0') + entry('r2', '1.7'));
    await pass(1);
    server.last.lose();
    await pass(1_000);
    expect(decodeURIComponent(server.last.address)).toBe('/v1/events?runs=r1@0.0,r2@1.7&cards=false');
    expect(first.states).toEqual(['connecting', 'open', 'waiting', 'connecting', 'open']);
    vi.spyOn(dead.streams as unknown as { say(): void }, 'say').mockReturnValue(undefined); // it says nothing any more
    for (let n = 0; n < 10; n++) {
      await pass(10_000);
      server.last.tell(': still here\n\n');
    }
    expect(decodeURIComponent(server.last.address)).toBe('/v1/events?runs=r1@0.0&cards=false');
  });

  it('tells one tab alone that its run is refused, and asks again for what could not be read [F-D1]', async () => {
    const [first, second] = [tab(hub), tab(hub)];
    let failed = false;
    first.follow('r1', () => {
      if (failed) return undefined;
      failed = true;
      throw new Error('a gap');
    });
    second.follow('r2');
    await pass(50);
    const problem = {
      title: 'Not found',
      status: 404,
      detail: 'No such run.',
      code: 'RUN_NOT_FOUND',
      retryable: false,
    };
    server.last.tell(`event: run\ndata: ${JSON.stringify({ run: 'r2', event: 'refused', data: problem })}\n\n`);
    server.last.tell(entry('r1', '0.0'));
    await pass(1);
    expect(second.states.at(-1)).toBe('refused');
    expect(first.states.at(-1)).toBe('waiting');
    await pass(1_100);
    expect(decodeURIComponent(server.last.address)).toBe('/v1/events?runs=r1&cards=false');
    server.last.tell(entry('r1', '0.0'));
    await pass(1);
    expect(first.heard).toEqual(['r1 entry 0.0']);
  });
});

describe('what a stream is asked for', () => {
  it('names each run once, from the earliest position that somebody needs', () => {
    expect(addressOf([{ topic: 'cards' }])).toBe('/v1/events');
    const wants = [
      { topic: 'run:a,b@c', lastId: '0.12' },
      { topic: 'run:a,b@c', lastId: '0.9' },
      { topic: 'cards' },
    ] as const;
    expect(new URL(addressOf(wants), 'http://x').searchParams.get('runs')).toBe('a%2Cb%40c@0.9');
    expect(isAfter('1.0', '0.99')).toBe(true);
    expect(isAfter('0.10', '0.9')).toBe(true);
    expect(isAfter('0.9', '0.9')).toBe(false);
  });
});
