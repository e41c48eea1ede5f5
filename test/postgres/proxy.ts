import { connect, createServer, type Socket } from 'node:net';

/** Stands between an engine and its server, and loses what the server says when it is told to. */
export interface LossyProxy {
  readonly port: number;
  /** Once this is said to the server nothing comes back any more, though everything gets there. */
  swallowFrom(words: string): void;
  /** Later connections work again; those that nothing comes back on are left as they are. */
  relent(): void;
  /** Ends all connections, in order or with a reset; later ones work again. */
  cut(how?: 'ended' | 'reset'): void;
  close(): Promise<void>;
}

export async function proxyTo(port: number): Promise<LossyProxy> {
  const sockets = new Set<Socket>();
  /** What all connections share that were made before it relented. */
  let line = { isSilent: false };
  let words: string | undefined;
  const relent = (): void => {
    line = { isSilent: false };
    words = undefined;
  };
  const server = createServer((client) => {
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
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      if (!mine.isSilent) client.write(data);
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
