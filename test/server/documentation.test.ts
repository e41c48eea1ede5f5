import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '../../packages/server/src/contract/route.js';
import { allRoutes } from '../../packages/server/src/routes/all-routes.js';
import { root } from '../../scripts/files.mjs';
import { type ServerStage, serverStage } from './stage-server.js';

let stage: ServerStage;
let routes: readonly Route[];
beforeAll(async () => {
  stage = await serverStage({});
  routes = allRoutes(stage.server.parts);
});
afterAll(() => stage.close());

const read = (path: string) => readFileSync(join(root, path), 'utf8');

describe('docs/server.md', () => {
  it('lists every route with its scope and what it is for [R6-HTTP-ROUTES-LISTED]', () => {
    const listed = read('docs/server.md')
      .split('\n')
      .filter((line) => /^\| `[A-Z]+ \S+` \| (`[\w:]+`|none) \| /.test(line));
    expect(listed).toEqual(
      routes.map(({ method, path, scope, summary }) => {
        const needed = scope === undefined ? 'none' : `\`${scope}\``;
        return `| \`${method.toUpperCase()} ${path}\` | ${needed} | ${summary} |`;
      }),
    );
  });
});

describe('the documentation', () => {
  const pages = [
    'README.md',
    ...readdirSync(join(root, 'docs'))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name}`),
  ];

  it.each(pages)('%s names no route that does not exist', (page) => {
    const known = routes.map(({ method, path }) => ({
      method: method.toUpperCase(),
      pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    }));
    const named = [...read(page).matchAll(/`(?:(GET|POST|DELETE|PUT|PATCH)(?: and [A-Z]+)? )?(\/v1\/[^`?\s]*)/g)];
    const unknown = named.filter(
      ([, method, path = '']) => !known.some((one) => one.pattern.test(path) && (method ?? one.method) === one.method),
    );
    expect(unknown.map(([text]) => text)).toEqual([]);
  });
});
