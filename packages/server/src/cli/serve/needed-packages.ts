import { createRequire } from 'node:module';
import { nodeSqlite } from 'flyball/internal';
import { FlyballError } from 'flyball';

export interface Needs {
  /** Tokens are checked. */
  readonly jwt: boolean;
  /** There is a file of triggers, which may have schedules. */
  readonly triggers: boolean;
}

type IsThere = (name: string) => boolean;

/** Names every package that is missing, so that one installation is enough. Who only runs agents needs none of them. */
export function requirePackages(needs: Needs, isThere: IsThere = isBesideUs): void {
  const missing = [
    'hono',
    '@hono/node-server',
    ...(nodeSqlite() === undefined ? ['libsql'] : []),
    ...(needs.jwt ? ['jose'] : []),
    ...(needs.triggers ? ['croner'] : []),
  ].filter((name) => !isThere(name));
  if (missing.length === 0) return;
  const what = missing.length === 1 ? 'a package that is' : 'packages that are';
  throw new FlyballError(
    'DRIVER_MISSING',
    `flyball serve needs ${what} not installed: npm install ${missing.join(' ')}`,
    { detail: { missing } },
  );
}

/** What serves MCP is looked for with the first request; that it is missing is better known beforehand. */
export function mcpProblem(isThere: IsThere = isBesideUs): string | undefined {
  const name = '@modelcontextprotocol/server';
  return isThere(name) ? undefined : `/mcp is not available. To enable it, run: npm install ${name}`;
}

/** As our own imports find it. A package that is there for imports only is there. */
export function isBesideUs(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_PACKAGE_PATH_NOT_EXPORTED';
  }
}
