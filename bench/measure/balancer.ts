import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** One address for several workers: each connection goes to the next one that accepts it. */
export interface Balancer {
  readonly url: string;
  readonly ports: Set<number>;
  /** Breaks every connection. */
  cut(): void;
  close(): void;
}

export async function balancer(): Promise<Balancer> {
  const ports = new Set<number>();
  const sockets = new Set<Socket>();
  let turn = 0;
  const pass = (from: Socket, tries: number): void => {
    const all = [...ports];
    const port = all[turn++ % Math.max(1, all.length)];
    if (port === undefined || tries > all.length) return void from.destroy();
    const to = connect({ host: '127.0.0.1', port });
    sockets.add(to);
    let isThrough = false;
    to.once('connect', () => {
      isThrough = true;
      from.pipe(to).pipe(from);
    });
    to.on('error', () => (isThrough ? from.destroy() : pass(from, tries + 1)));
    to.on('close', () => {
      sockets.delete(to);
      if (isThrough) from.destroy();
    });
    from.on('close', () => to.destroy());
  };
  const server = createServer((from) => {
    sockets.add(from);
    from.on('error', () => undefined);
    from.on('close', () => sockets.delete(from));
    pass(from, 0);
  });
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ports,
    cut,
    close() {
      server.close();
      cut();
    },
  };
}
