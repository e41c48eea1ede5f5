import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { expect } from 'vitest';
import type { Route } from '../../packages/server/src/contract/route.js';
import { root } from '../../scripts/files.mjs';
import type { Answered, Logged } from './stage-server.js';

/** What one route is sent: an address and a body that it would take. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/** A request that fits a route, with these values for its parameters. */
export function fittingRequest(route: Route, params: Readonly<Record<string, string>> = {}): Sent {
  const example = route.examples.find(({ status, body }) => status !== 400 && body !== undefined) ?? route.examples[0];
  const value = (name: string): string => encodeURIComponent(params[name] ?? example?.params?.[name] ?? 'nothing1');
  const query = example?.query === undefined ? '' : `?${new URLSearchParams(example.query).toString()}`;
  return {
    method: route.method.toUpperCase(),
    path: route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => value(name)) + query,
    body: route.method === 'post' ? (example?.body ?? {}) : undefined,
  };
}

/** An answer without what is different in every answer. */
export function comparable({ status, text, headers }: Answered, hide: Readonly<Record<string, string>> = {}): string {
  const own = ['x-request-id', 'date', 'ratelimit-remaining', 'ratelimit-reset'];
  const kept = [...headers].filter(([name]) => !own.includes(name)).map(([name, value]) => `${name}: ${value}`);
  let shown = `${status}\n${kept.sort().join('\n')}\n\n${text.replace(headers.get('x-request-id') ?? ' ', '<request>')}`;
  for (const [name, value] of Object.entries(hide)) shown = shown.replaceAll(value, `<${name}>`);
  return shown.replace(/content-length: \d+\n/, '');
}

/** Words that must not leave the server: secrets and what is kept of them. */
export class Secrets {
  private readonly words: string[] = [];

  /** Of a key as its holder has it. */
  add(key: string): string {
    const secret = key.startsWith('fb_') ? key.slice(12) : key;
    const hashes = [key, secret].flatMap((text) =>
      (['hex', 'base64', 'base64url'] as const).map((form) => createHash('sha256').update(text).digest(form)),
    );
    this.words.push(secret, ...hashes);
    return key;
  }

  /** Fails where a text holds one of them, a stack trace or a path of this machine. */
  absentFrom(text: string, where: string): void {
    for (const word of this.words) expect(text.includes(word), `a secret in ${where}`).toBe(false);
  }

  leaksNothing(answer: Answered, where: string, paths: readonly string[]): void {
    const told = `${answer.text}\n${[...answer.headers].join('\n')}`;
    this.absentFrom(told, where);
    expect(told, where).not.toMatch(/\n\s+at .+:\d+:\d+|node_modules|node:internal/);
    for (const path of [root, ...paths]) expect(told.includes(path), `${path} in ${where}`).toBe(false);
  }

  absentFromLog(logged: readonly Logged[]): void {
    const lines = logged.map(({ what, fields, error }) =>
      [
        what,
        JSON.stringify(fields),
        error instanceof Error ? `${error.stack}${String(error.cause)}` : String(error),
      ].join(),
    );
    this.absentFrom(lines.join('\n'), 'the log');
  }
}

/** Bytes over a socket as they are, and everything that comes back until the server closes or `ms` are over. */
export function raw(port: number, pieces: readonly (string | Uint8Array)[], ms = 15_000): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let told = '';
    const end = (): void => {
      socket.destroy();
      resolve(told);
    };
    const timer = setTimeout(end, ms);
    socket.on('data', (data) => {
      told += data.toString('latin1');
    });
    socket.on('error', () => undefined); // a server that cuts us off is one that refused
    socket.on('close', () => {
      clearTimeout(timer);
      end();
    });
    for (const piece of pieces) socket.write(piece);
  });
}

/** A request by hand; `lines` are headers beside the host. */
export function requestText(method: string, path: string, lines: readonly string[], body = ''): string {
  return [`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1', 'Connection: close', ...lines, '', body].join('\r\n');
}
