import { type Finding, lint } from 'flyball/catalogue';
import { expect } from 'vitest';

const MOST_WARNINGS = 3;

/** What the linter says about what is shipped: no error, and at most three warnings. */
export function expectSilent(name: string, agents: Readonly<Record<string, unknown>>, seams?: unknown): void {
  const found = lint({ agents, seams });
  const at = (level: Finding['level']) =>
    found.filter((finding) => finding.level === level).map(({ rule, at: place, why }) => `${rule} at ${place}: ${why}`);
  expect([name, at('error')]).toEqual([name, []]);
  expect([name, at('warning').slice(MOST_WARNINGS)]).toEqual([name, []]);
}
