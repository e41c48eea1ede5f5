import { connect, createServer, type Socket } from 'node:net';

export type Weather =
  | 'fair'
  /** Nothing gets through in either direction, and nobody is told. */
  | 'parted'
  /** Everything is held back, and gets through later. */
  | 'stalled';

/** Stands between one worker and the database. */
export interface FaultProxy {
  readonly port: number;
  weather(is: Weather): void;
  /** Cuts the connection of the next commit: after it was passed on, or before. Resolves when that has happened. */
  cutCommit(when: 'before' | 'after', how: 'ended' | 'reset'): Promise<void>;
  close(): Promise<void>;
}

/** What ends in a commit: several statements, or one that is a transaction by itself, by its name. */
const COMMITS = ['COMMIT', ...['append', 'append-and-change', 'release', 'take'].map((name) => `\0${name}\0`)];

export async function faultProxy(target: () => number, host = '127.0.0.1'): Promise<FaultProxy> {
  const sockets = new Set<Socket>();
  const held: (() => void)[] = [];
  let weather: Weather = 'fair';
  let cut:
    | { readonly when: 'before' | 'after'; readonly how: 'ended' | 'reset'; readonly done: () => void }
    | undefined;
  const passOn = (to: Socket, data: Buffer): void => {
    if (weather === 'fair') to.write(data);
    else if (weather === 'stalled') held.push(() => to.write(data));
  };
  const server = createServer((client) => {
    const upstream = connect(target(), '127.0.0.1');
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        other.end(); // what was sent still gets there
      });
    }
    client.on('data', (data) => {
      if (cut === undefined || !COMMITS.some((each) => data.includes(each))) return passOn(upstream, data);
      const { when, how, done } = cut;
      cut = undefined;
      if (when === 'after') upstream.end(data);
      else upstream.destroy();
      if (how === 'reset') client.resetAndDestroy();
      else client.destroy();
      done();
    });
    upstream.on('data', (data) => passOn(client, data));
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const dropAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: address.port,
    weather(is) {
      const before = weather;
      weather = is;
      if (is !== 'fair') return;
      if (before === 'parted') dropAll(); // what was lost on the way never comes
      for (const pass of held.splice(0)) pass();
    },
    cutCommit: (when, how) =>
      new Promise((done) => {
        cut = { when, how, done };
      }),
    async close() {
      dropAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
