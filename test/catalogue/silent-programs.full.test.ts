import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { lintJournals } from 'flyball/catalogue';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { RunJournal } from '../../packages/flyball/src/catalogue/journal.js';
import { root } from '../../scripts/files.mjs';
import { expectSilent } from './silence.js';
import { watched } from './watched.js';

interface Created {
  readonly agents: Readonly<Record<string, unknown>>;
  readonly seams?: unknown;
}
const created = vi.hoisted(() => [] as Created[]);
const journals = vi.hoisted(() => [] as RunJournal[]);

/** Examples are programs: what they hand to a runtime is what they ship. */
vi.mock('flyball', async (original) => {
  const flyball = await original<typeof import('flyball')>();
  return {
    ...flyball,
    createRuntime: (given: Parameters<typeof flyball.createRuntime>[0]) => {
      created.push(given);
      return watched(flyball.createRuntime(given), (journal) => journals.push(journal));
    },
  };
});

const folder = join(root, 'packages/flyball/dist-examples'); // where they find their files
/** Their contract tests would begin where they are loaded. */
const TESTS = ['own-engine.js', 'own-dispatcher.js'];
const files = readdirSync(folder).filter((name) => name.endsWith('.js') && !TESTS.includes(name));
/** These hand their agents to the evaluation harness. */
const WITHOUT: readonly string[] = ['evals.js', 'own-domain.js', 'suites.js'];

describe('the examples as they run', () => {
  const before = process.cwd();
  let seen = 0;
  let runs = 0;
  beforeAll(() => {
    vi.stubEnv('FLYBALL_DEMONSTRATION', '1');
  });
  afterAll(() => {
    process.chdir(before);
    vi.unstubAllEnvs();
    expect(seen).toBeGreaterThan(20);
    expect(runs).toBeGreaterThan(30);
  });

  it.each(files)(
    '%s: the linter has no error and at most three warnings, and nothing about what happened [R17-SILENT]',
    async (file) => {
      created.length = 0;
      journals.length = 0;
      await import(join(folder, file));
      process.chdir(before);
      const given = new Map(
        created.flatMap(({ agents, seams }) => Object.entries(agents).map(([name, agent]) => [name, { agent, seams }])),
      );
      const own = [...given].filter(([name]) => !name.includes(':'));
      if (own.length > 0) seen += 1;
      expect([file, WITHOUT.includes(file) || own.length > 0]).toEqual([file, true]);
      const seams = created.find((one) => one.seams !== undefined)?.seams;
      expectSilent(file, Object.fromEntries(own.map(([name, { agent }]) => [name, agent])), seams);
      runs += journals.length;
      const happened = journals.flatMap((journal) => lintJournals([journal]));
      expect([file, happened.filter(({ level }) => level !== 'info')]).toEqual([file, []]);
    },
  );
});
