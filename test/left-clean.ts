import { beforeAll, expect } from 'vitest';

/**
 * Fast tests share a process, file after file, because loading everything anew for each costs more than most of them
 * take. What one of them leaves changed would let a later one fail for no reason of its own: here it is told whose it is.
 */
const GLOBALS = ['setTimeout', 'clearTimeout', 'setInterval', 'setImmediate', 'Date', 'fetch'] as const;

/** The runner's own variables differ from file to file; these packages set theirs when they are loaded. */
const SET_BY_OTHERS = /^(VITEST.*|ORT_DISABLE_TELEMETRY|VIPSHOME)$/;

interface Shared {
  readonly globals: readonly unknown[];
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const SHARED = Symbol.for('flyball.test.shared');
const everywhere = globalThis as { [SHARED]?: { readonly first: Shared; last: string } };

function shared(): Shared {
  return { globals: GLOBALS.map((name) => globalThis[name]), folder: process.cwd(), environment: { ...process.env } };
}

function differences(first: Shared, now: Shared): readonly string[] {
  const names = Object.keys({ ...first.environment, ...now.environment }).filter((name) => !SET_BY_OTHERS.test(name));
  return [
    ...GLOBALS.filter((_, index) => now.globals[index] !== first.globals[index]),
    ...(now.folder === first.folder ? [] : ['the working folder']),
    ...names.filter((name) => now.environment[name] !== first.environment[name]),
  ];
}

beforeAll(() => {
  const now = shared();
  const kept = everywhere[SHARED] ?? { first: now, last: '' };
  const changed = differences(kept.first, now);
  if (changed.length > 0) throw new Error(`${kept.last} left this changed: ${changed.join(', ')}.`);
  everywhere[SHARED] = { ...kept, last: expect.getState().testPath ?? 'a test' };
});
