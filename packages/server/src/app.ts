import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { type ClientAddress, clientAddress } from './access/client-address.js';
import type { Route } from './contract/route.js';
import { answerTo, guarded, type Incoming, type Mount, mountedAnswer, type PipelineParts } from './pipeline.js';
import { Problem } from './problem.js';
import type { ServerSettings } from './settings.js';

/** The routes as one web application. Addresses that are not there are refused through the same pipeline. */
export function createApp(
  parts: PipelineParts,
  routes: readonly Route[],
  mounts: readonly Mount[],
): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>({ strict: true });
  const addressOf = clientAddress(parts.settings);
  const incoming = (c: Context<{ Bindings: HttpBindings }>): Incoming =>
    incomingOf(c.req.raw, c.req.param() as Readonly<Record<string, string>>, c.env, addressOf);
  for (const route of routes) {
    app.on(route.method.toUpperCase(), honoPath(route.path), (c) => answerTo(parts, route, incoming(c)));
  }
  for (const mount of mounts) {
    app.on([...mount.methods], mount.path, (c) =>
      guarded(parts, mount.name, incoming(c), (frame, given) => mountedAnswer(parts, mount, given, frame)),
    );
  }
  const known = allowed(routes, mounts);
  app.notFound((c) =>
    guarded(parts, 'unknown', incoming(c), async () =>
      Promise.reject(unknownAddress(c.req.raw, known, parts.settings)),
    ),
  );
  return app;
}

/** `/v1/runs/{runId}` in the framework's spelling. */
export function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

function incomingOf(
  request: Request,
  params: Readonly<Record<string, string>>,
  env: HttpBindings | undefined,
  addressOf: ClientAddress,
): Incoming {
  const outgoing = env?.outgoing;
  return {
    request,
    params,
    remote: addressOf(env?.incoming.socket.remoteAddress ?? '', request.headers),
    onClosed: (listener) => {
      if (outgoing?.destroyed === true)
        listener(); // it went away before anybody asked to be told
      else outgoing?.once('close', listener);
    },
  };
}

interface Known {
  readonly pattern: RegExp;
  readonly method: string;
}

function allowed(routes: readonly Route[], mounts: readonly Mount[]): readonly Known[] {
  const patternOf = (path: string): RegExp =>
    new RegExp(
      `^${path
        .replaceAll('.', '\\.')
        .replaceAll(/\{\w+\}/g, '[^/]+')
        .replace(/\*$/, '.*')}$`,
    );
  return [
    ...routes.map(({ path, method }) => ({ pattern: patternOf(path), method: method.toUpperCase() })),
    ...mounts.flatMap(({ path, methods }) => methods.map((method) => ({ pattern: patternOf(path), method }))),
  ];
}

function unknownAddress(request: Request, known: readonly Known[], { role }: Pick<ServerSettings, 'role'>): Problem {
  const { pathname } = new URL(request.url);
  const methods = known.filter(({ pattern }) => pattern.test(pathname)).map(({ method }) => method);
  if (methods.length === 0)
    return new Problem(404, 'NOT_FOUND', 'There is no such route.', {
      next:
        role === 'worker'
          ? 'This server is a worker: ask a server with the role api or all.'
          : 'See /docs for all routes.',
    });
  return new Problem(405, 'METHOD_NOT_ALLOWED', `This route supports ${methods.join(', ')}.`, {
    headers: { allow: methods.join(', ') },
  });
}
