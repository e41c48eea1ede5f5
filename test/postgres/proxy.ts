import { connect, createServer, type Socket } from 'node:net';

/** Stands between an engine and its server, and loses what the server says when it is told to. */
export interface LossyProxy {
  readonly port: number;
  /** Once this is said to the server nothing comes back any more, though everything gets there. */
  swallowFrom(words: string): void;
  /** Later connections work again; those that nothing comes back on are left as they are. */
  relent(): void;
  /**
   * From the first write of a run on, or of what is named, and until `relent`, nothing comes back on any connection, each ends soon after
   * something was said on it, and nobody gets a new one. With `requests`, nothing of what is said gets to the server either.
   */
  lose(what: 'answers' | 'requests', writes?: RegExp): void;
  /** Ends all connections, in order or with a reset; later ones work again. */
  cut(how?: 'ended' | 'reset'): void;
  close(): Promise<void>;
}

/** The names of statements, as they are bound: reads before them get their answers. */
const WRITES = /\0(create|append|release|post|claim)\0/;
/** What was said has reached the server by then. */
const LOSING_MS = 50;

export async function proxyTo(port: number): Promise<LossyProxy> {
  const sockets = new Set<Socket>();
  /** What all connections share that were made before it relented. */
  let line = { isSilent: false };
  let words: string | undefined;
  let losing: 'answers' | 'requests' | undefined;
  let hasBegun = false;
  let begins = WRITES;
  const relent = (): void => {
    line = { isSilent: false };
    words = undefined;
    losing = undefined;
    hasBegun = false;
  };
  const server = createServer((client) => {
    if (hasBegun) return void client.destroy();
    const upstream = connect(port, '127.0.0.1');
    const mine = line;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.end(); // what was sent still gets there
      });
    }
    client.on('data', (data) => {
      if (words !== undefined && data.includes(words)) mine.isSilent = true;
      hasBegun ||= losing !== undefined && begins.test(data.toString('latin1'));
      if (!hasBegun || losing === 'answers') upstream.write(data);
      if (hasBegun) setTimeout(() => client.destroy(), LOSING_MS);
    });
    upstream.on('data', (data) => {
      if (!hasBegun && !mine.isSilent) client.write(data);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    swallowFrom: (given) => {
      words = given;
    },
    relent,
    lose: (what, writes = WRITES) => {
      begins = writes;
      losing = what;
    },
    cut: (how = 'ended') => {
      relent();
      for (const socket of sockets)
        if (how === 'reset') socket.resetAndDestroy();
        else socket.destroy();
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
