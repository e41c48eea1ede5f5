import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { FlyballError } from '../core/errors.js';
import { type LedgerClient, ledgerClient } from './ledger-client.js';

/** A process that records effects in a ledger, so a test can count them. */
export interface LedgerServer extends LedgerClient {
  readonly pid: number;
  close(): Promise<void>;
}

/** Options of `ledgerServer`. */
export interface LedgerServerOptions {
  /** What holds for requests that do not say whether to honor their key. */
  readonly dedupe?: boolean;
}

/**
 * Kept as text: this file is TypeScript under a test runner and JavaScript when published, but a child process reads
 * neither the runner's transforms nor our file names. Ends with its stdin, that is with the process that started it.
 */
const SERVER = `
import { createServer } from 'node:http';
const { dedupe } = JSON.parse(process.argv[1]);
const lines = [];
const find = (key) => lines.find((line) => line.key === key);
const server = createServer(async (request, response) => {
  const answer = (status, value) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  try {
    const path = new URL(request.url, 'http://ledger').pathname;
    if (request.method === 'POST' && path === '/effect') {
      let text = '';
      for await (const part of request.setEncoding('utf8')) text += part;
      const body = JSON.parse(text);
      if (typeof body.key !== 'string') return answer(400, { problem: 'key must be a string' });
      if ((body.dedupe ?? dedupe) && find(body.key)) return answer(200, { recorded: false });
      lines.push({ key: body.key, what: body.what });
      return answer(201, { recorded: true });
    }
    if (request.method === 'GET' && path === '/effects') return answer(200, lines);
    if (request.method === 'GET' && path.startsWith('/effect/')) {
      const line = find(decodeURIComponent(path.slice('/effect/'.length)));
      return line === undefined ? answer(404, { happened: false }) : answer(200, line);
    }
    return answer(404, { problem: 'unknown path' });
  } catch (error) {
    return answer(400, { problem: String(error) });
  }
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.stdin.resume().on('end', () => process.exit(0));
`;

/** A ledger in a separate process, so that it survives when an agent is killed. */
export async function ledgerServer(options: LedgerServerOptions = {}): Promise<LedgerServer> {
  const config = JSON.stringify({ dedupe: options.dedupe ?? false });
  const child = spawn(process.execPath, ['--input-type=module', '-e', SERVER, config], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {}, // the loaders and hooks of a test runner are not for this process
  });
  const exited = once(child, 'exit');
  const port = await Promise.race([
    once(child.stdout, 'data').then(([line]) => Number(line)),
    exited.then(([code]) => {
      throw new FlyballError('STORAGE_FAILED', `The ledger server ended with ${code} before it listened; see stderr.`);
    }),
  ]);
  // a test that forgets to close it still ends, and takes the server with it
  child.unref();
  for (const pipe of [child.stdin, child.stdout]) (pipe as unknown as { unref(): void }).unref();
  return {
    ...ledgerClient(`http://127.0.0.1:${port}`),
    pid: child.pid ?? 0,
    async close() {
      child.ref();
      child.stdin.end();
      await exited;
    },
  };
}
