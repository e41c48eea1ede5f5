import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { done, type Run, type Tool } from 'flyball';
import { describe, expect, it, onTestFinished } from 'vitest';
import { still } from './stage.js';

/** A service that does what it is asked to and then deals with the connection instead of answering. */
async function service(afterwards: (socket: Socket) => void) {
  const booked: string[] = [];
  const server = createServer((socket) => {
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => undefined); // the other side may break off as well
    socket.once('data', () => {
      booked.push('seat');
      afterwards(socket);
    });
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { booked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

type Booking = Awaited<ReturnType<typeof service>>;

function bookAt({ url, booked }: Booking, signal?: AbortSignal): Tool<null, string> {
  return {
    name: 'book',
    description: 'Books a seat.',
    effect: {
      class: 'undoable',
      verify: async () => (booked.includes('seat') ? { happened: 'yes', result: 'booked' } : { happened: 'no' }),
      compensate: async () => void booked.splice(0),
    },
    execute: async () => (await fetch(url, { method: 'POST', body: 'seat', ...(signal && { signal }) })).text(),
  };
}

describe('an act over a connection that breaks off before the answer', () => {
  const ways: Readonly<Record<string, () => Promise<{ readonly at: Booking; readonly signal?: AbortSignal }>>> = {
    'the other side closes it': async () => ({ at: await service((socket) => socket.destroy()) }),
    'the tool has a time limit of its own': async () => {
      const controller = new AbortController();
      const at = await service(() => controller.abort(new DOMException('too slow', 'TimeoutError')));
      return { at, signal: controller.signal };
    },
    'the tool breaks it off': async () => {
      const controller = new AbortController();
      return { at: await service(() => controller.abort()), signal: controller.signal };
    },
  };

  for (const [name, way] of Object.entries(ways)) {
    it(`is looked for, and undone when the run fails: ${name} [R7-BODIES-BROKEN]`, async () => {
      const { at, signal } = await way();
      const stage = still();
      const life = stage.open(async (run: Run) => {
        const result = await run.call(bookAt(at, signal), null);
        throw new Error(result.ok ? `${result.value}, and then it was called off` : 'it was not booked');
      });
      expect(await life.start()).toMatchObject({
        stop: 'failed',
        because: 'booked, and then it was called off',
        rollback: { success: true, entries: [{ name: 'book', status: 'COMPENSATED' }] },
      });
      expect(at.booked).toEqual([]);
    });
  }

  it('is made again under its key when it is idempotent [R7-BODIES-BROKEN]', async () => {
    let asked = 0;
    const at = await service((socket) =>
      ++asked === 1 ? socket.destroy() : socket.end('HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nbooked'),
    );
    const stage = still();
    const tool: Tool<null, string> = { ...bookAt(at), effect: 'idempotent', retry: { baseDelayMs: 0, jitterMs: 0 } };
    const ended = stage.open(async (run: Run) => done((await run.call(tool, null)).content)).start();
    let isOver = false;
    void ended.finally(() => {
      isOver = true;
    });
    while (!isOver) await stage.clock.advance(1); // the pause before it is made again
    expect(await ended).toMatchObject({ stop: 'done', value: 'booked' });
    expect(await stage.events('retry')).toMatchObject([{ failure: { originalCode: 'UND_ERR_SOCKET' } }]);
  });
});
