import { connect, createServer, type Socket } from 'node:net';

/** Statements that a database refuses, or answers in another way. */
export interface Lack {
  readonly says: RegExp;
  /** What it gets to see in its place. */
  readonly instead: string;
}

const failing = (code: string, message: string): string =>
  `DO $$ BEGIN RAISE EXCEPTION '${message}' USING ERRCODE = '${code}'; END $$`;

/** As CockroachDB answers, by its documentation and its issues: nobody has run this on one. */
export const LIKE_COCKROACH: readonly Lack[] = [
  { says: /^SELECT version\(\)/, instead: "SELECT 'CockroachDB CCL v24.1.0 (x86_64-pc-linux-gnu)' AS product" },
  { says: /^SHOW server_version_num/, instead: "SELECT '130000' AS server_version_num" },
  { says: /COLLATE "C"/, instead: failing('22023', 'invalid locale C: language: tag is not well-formed') },
  { says: /PARTITION BY LIST|PARTITION OF/, instead: failing('42601', 'at or near "EOF": syntax error') },
  { says: /hashtext\(/, instead: failing('42883', 'unknown function: hashtext()') },
  { says: /^LISTEN /, instead: failing('0A000', 'unimplemented: LISTEN') },
  { says: /pg_notify\(/, instead: 'SELECT unknown_function($1::text, $2::text)' },
  { says: /pg_total_relation_size/, instead: 'SELECT unknown_function($1::text)' },
  { says: /SET \(fillfactor|SET \(autovacuum|SET STATISTICS/, instead: failing('22023', 'invalid storage parameter') },
  { says: /^SET enable_multiple_modifications_of_table/, instead: 'SELECT 1' },
];

/** YugabyteDB claims to be PostgreSQL 11, and has neither notifications nor, before 2025, advisory locks. */
export const LIKE_YUGABYTE: readonly Lack[] = [
  { says: /^SELECT version\(\)/, instead: "SELECT 'PostgreSQL 11.2-YB-2.20.1.0-b0 on x86_64' AS product" },
  { says: /^SHOW server_version_num/, instead: "SELECT '110002' AS server_version_num" },
  { says: /pg_advisory_xact_lock/, instead: failing('0A000', 'advisory locks are not yet implemented') },
  { says: /^LISTEN /, instead: failing('0A000', 'LISTEN not supported yet') },
  { says: /pg_notify\(/, instead: 'SELECT unknown_function($1::text, $2::text)' },
];

export interface LackingServer {
  readonly port: number;
  /** Statements that it was asked for and lacks. */
  readonly lacked: Set<string>;
  close(): Promise<void>;
}

/** A PostgreSQL that lacks something: stands before a real one, and changes what that one is asked. */
export async function lacking(port: number, lacks: readonly Lack[]): Promise<LackingServer> {
  const sockets = new Set<Socket>();
  const lacked = new Set<string>();
  const changed = (text: string): string => {
    const lack = lacks.find(({ says }) => says.test(text));
    if (lack !== undefined) lacked.add(lack.says.source);
    return lack?.instead ?? text;
  };
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    let rest = Buffer.alloc(0);
    let isStarted = false;
    client.on('data', (data) => {
      rest = Buffer.concat([rest, data]);
      for (;;) {
        const head = isStarted ? 1 : 0; // the first message has no letter before its length
        if (rest.length < head + 4) return;
        const end = head + rest.readInt32BE(head);
        if (rest.length < end) return;
        upstream.write(isStarted ? message(rest.subarray(0, end), changed) : rest.subarray(0, end));
        isStarted = true;
        rest = rest.subarray(end);
      }
    });
    upstream.pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    lacked,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A message of the protocol, with another text where it is a query or prepares one. */
function message(given: Buffer, changed: (text: string) => string): Buffer {
  const kind = String.fromCharCode(given[0] ?? 0);
  if (kind !== 'Q' && kind !== 'P') return given;
  const from = kind === 'Q' ? 5 : given.indexOf(0, 5) + 1;
  const to = given.indexOf(0, from);
  const text = given.toString('utf8', from, to);
  const other = changed(text);
  if (other === text) return given;
  const made = Buffer.concat([given.subarray(0, from), Buffer.from(other), given.subarray(to)]);
  made.writeInt32BE(made.length - 1, 1);
  return made;
}
