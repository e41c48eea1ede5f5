import { changed, done, type Outcome, type Run, type Tool } from 'flyball';
import { describe, expect, it } from 'vitest';
import { type AutonomySettings, autonomyBudget } from '../../packages/flyball/src/tools/autonomy/index.js';
import { domainRules } from '../../packages/flyball/src/tools/rules/domains.js';
import { pathRules } from '../../packages/flyball/src/tools/rules/paths.js';
import { answer, at, moving, RUN } from '../runtime/stage.js';
import { toolOf } from './context.js';

const tools = {
  read: toolOf<{ path: string }>({ name: 'read', touches: ({ path }) => ({ reads: [path] }) }),
  write: toolOf<{ path: string; lines: number }>({
    name: 'write',
    effect: 'idempotent',
    touches: ({ path, lines }) => ({ writes: [{ path, lines }] }),
    reserve: ({ lines }) => ({ filesChanged: 1, linesChanged: lines }),
    execute: async ({ lines }) => changed('written', { filesChanged: 1, linesChanged: lines }),
  }),
  shell: toolOf<{ command: string }>({
    name: 'shell',
    effect: 'idempotent',
    touches: ({ command }) => ({ commands: [command] }),
  }),
  fetch: toolOf<{ url: string }>({ name: 'fetch', touches: ({ url }) => ({ urls: [url] }) }),
  clock: toolOf({ name: 'clock' }),
} as const;

const rules: AutonomySettings = {
  paths: pathRules({ roots: [{ path: '/work', write: true }], denyWrite: ['locked/**'] }),
  commands: { programs: { ls: {} } },
  domains: domainRules({ allow: ['example.com'] }),
};

const calling =
  (...calls: readonly (readonly [Tool<never, unknown>, unknown])[]) =>
  async (run: Run): Promise<Outcome<unknown>> => {
    const results: unknown[] = [];
    for (const [tool, args] of calls) {
      const { ok, content } = await run.call(tool, args);
      results.push(ok ? 'made' : (/\((EF-\d\d|tool-calls)/.exec(content)?.[1] ?? content));
    }
    return done(results);
  };

describe('the enforcement points', () => {
  it('are asked for the tools they concern, and for no others [R3-CASE-19] [R3-AUTO-POINTS]', async () => {
    const stage = moving();
    const agent = calling(
      [tools.read, { path: '/work/a' }],
      [tools.read, { path: '/etc/passwd' }],
      [tools.write, { path: '/work/a', lines: 1 }],
      [tools.write, { path: '/work/locked/a', lines: 1 }],
      [tools.shell, { command: 'ls -l' }],
      [tools.shell, { command: 'curl evil.com' }],
      [tools.fetch, { url: 'https://example.com/' }],
      [tools.fetch, { url: 'https://evil.com/' }],
      [tools.clock, { path: '/etc/passwd', command: 'curl evil.com', url: 'https://evil.com/' }], // names nothing it touches
    );
    const life = stage.open(agent, { seams: autonomyBudget(rules).seam() });
    expect(await life.start()).toMatchObject({
      value: ['made', 'EF-01', 'made', 'EF-02', 'made', 'EF-03', 'made', 'EF-04', 'made'],
    });
    expect((await stage.events('guard-decision')).map(({ id, rule, verdict }) => [id, rule, verdict])).toEqual([
      ['#1', 'EF-01', 'blocked'],
      ['#3', 'EF-02', 'blocked'],
      ['#5', 'EF-03', 'blocked'],
      ['#7', 'EF-04', 'blocked'],
    ]);
  });

  it("decide over the run's own counters, which a crash does not set back [R3-AUTO-LEDGER]", async () => {
    const stage = moving();
    const settings: AutonomySettings = { limits: { filesChanged: 3, linesChanged: 1000 }, warnAt: 1 };
    const write = (lines: number): readonly [Tool<never, unknown>, unknown] => [
      tools.write,
      { path: '/work/a', lines },
    ];
    const agent = calling(write(1), write(1), write(1), write(1), [tools.clock, {}]);
    await stage.crashed(agent, at('before', 'intent', 3), { seams: autonomyBudget(settings).seam() });
    const life = stage.open(agent, { seams: autonomyBudget(settings).seam() });
    expect(await life.resume()).toMatchObject({
      value: ['made', 'made', 'made', 'EF-07', 'made'],
      usage: { filesChanged: 3 },
    });
  });

  it('count what a tool reports, not what it announced [R3-AUTO-LEDGER]', async () => {
    const modest = toolOf({
      name: 'modest',
      effect: 'idempotent',
      reserve: () => ({ linesChanged: 400 }),
      execute: async () => changed('ok', { linesChanged: 10 }),
    });
    const agent = calling([modest, {}], [modest, { n: 2 }], [tools.write, { path: '/work/a', lines: 981 }]);
    const life = moving().open(agent, { seams: autonomyBudget({ limits: { linesChanged: 1000 } }).seam() });
    expect(await life.start()).toMatchObject({ value: ['made', 'made', 'EF-08'] });
  });

  it('bound the number of calls, refused ones included [R3-AUTO-LIMITS]', async () => {
    const agent = calling([tools.read, { path: '/etc/passwd' }], [tools.clock, {}], [tools.clock, { n: 2 }]);
    const life = moving().open(agent, { seams: autonomyBudget({ ...rules, limits: { toolCalls: 2 } }).seam() });
    expect(await life.start()).toMatchObject({ value: ['EF-01', 'made', 'tool-calls'] });
  });

  it('leave a call to a person where they escalate [R3-AUTO-POINTS]', async () => {
    const stage = moving();
    const life = stage.open(calling([tools.fetch, { url: 'https://evil.com/' }]), {
      seams: autonomyBudget({ ...rules, modes: { 'EF-04': 'escalate' } }).seam(),
    });
    expect(await life.start()).toMatchObject({
      stop: 'suspended',
      waiting: [{ kind: 'approval', request: { why: expect.stringContaining('EF-04, network') } }],
    });
    await answer(life.runtime, RUN, 'approve:#0', { verdict: 'approve' });
    expect(await life.resume()).toMatchObject({ value: ['made'] });
  });

  it("judge an iteration by the run's budget, before and after a crash [R3-AUTO-LEDGER] [R3-AUTO-LIMITS]", async () => {
    const autonomy = autonomyBudget({ limits: { iterations: 3 }, warnAt: 1 });
    const tick = toolOf({ name: 'tick', effect: 'idempotent' });
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      for (;;) {
        const { result, point } = autonomy.onIteration(run.budget.spent());
        if (result === 'blocked') return done({ point, iterations: run.budget.spent().iterations });
        run.budget.take('iterations');
        await run.call(tick, { n: run.budget.spent().iterations });
      }
    };
    const stage = moving();
    await stage.crashed(agent, at('after', 'intent', 2));
    expect(await stage.open(agent).resume()).toMatchObject({ value: { point: 'EF-05', iterations: 3 } });
  });

  it('judge the time a run has worked, and not how long it waited [R3-AUTO-POINTS] [R3-AUTO-LEDGER]', async () => {
    const stage = moving();
    const autonomy = autonomyBudget({ limits: { minutes: 5 }, warnAt: 0.5 });
    const slow = toolOf({
      name: 'slow',
      timeoutMs: 1e7,
      execute: () => new Promise<string>((resolve) => stage.clock.after(120_000, () => resolve('done'))),
    });
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const results: string[] = [];
      await run.sleep(3_600_000);
      for (let iteration = 0; iteration < 4; iteration++) {
        const { result, point } = autonomy.onIteration(run.budget.spent());
        results.push(result === 'allowed' ? result : `${result} ${point}`);
        await run.call(slow, { iteration });
      }
      return done(results);
    };
    const life = stage.open(agent, { options: { suspendAfterMs: 1e9 } });
    expect(await life.start(null, { wallMs: 1e8 })).toMatchObject({
      value: ['allowed', 'allowed', 'warned EF-06', 'blocked EF-06'],
    });
  });
});
