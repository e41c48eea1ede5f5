import { expect, it } from 'vitest';
import { nodeSqlite } from '../../../../flyball/src/adapters/engine-sqlite/node-sqlite-driver.js';
import { mcpProblem, requirePackages } from './needed-packages.js';

const driver = nodeSqlite() === undefined ? ' libsql' : '';
const nothing = () => false;

it('names everything that is missing in one command [R6-CLI-SERVE]', () => {
  expect(() => requirePackages({ jwt: false, triggers: false }, nothing)).toThrow(
    `packages that are not installed: npm install hono @hono/node-server${driver}`,
  );
  expect(() => requirePackages({ jwt: true, triggers: true }, nothing)).toThrow(/server( libsql)? jose croner$/);
});

it('names nothing that is there or that nobody asked for', () => {
  const all = (name: string) => name !== 'croner';
  expect(() => requirePackages({ jwt: true, triggers: false }, all)).not.toThrow();
  expect(() => requirePackages({ jwt: true, triggers: true }, all)).toThrow(
    'needs a package that is not installed: npm install croner',
  );
});

it('finds what is installed beside it, packages that can only be imported too', () => {
  expect(() => requirePackages({ jwt: true, triggers: true })).not.toThrow();
  expect(mcpProblem()).toBeUndefined();
});

it('tells that MCP cannot be served before a client finds out', () => {
  expect(mcpProblem(nothing)).toContain('npm install @modelcontextprotocol/server');
});
