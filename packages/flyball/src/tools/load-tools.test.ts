import { describe, expect, it } from 'vitest';
import { loadTools, selectTools, tool, toolBudget, toolset } from './index.js';
import { LABELLED, SIXTY } from './sixty-tools.test-data.js';

const whole = toolset(SIXTY);
const namesOf = (task: string, limit: number) => selectTools(task, SIXTY, limit).map(({ tool: { name } }) => name);

describe('tools chosen by words', () => {
  it.each(LABELLED)('for "%s" hold %s among the best three', (task, needed) => {
    expect(namesOf(task, 3)).toContain(needed);
  });

  it('are at most as many as asked for, best first, and the same every time', () => {
    const ranked = selectTools('list the files, tables, channels and issues', SIXTY, 4);
    expect(ranked).toHaveLength(4);
    expect(ranked.map(({ score }) => score)).toEqual(ranked.map(({ score }) => score).sort((a, b) => b - a));
    expect(selectTools('list the files, tables, channels and issues', [...SIXTY], 4)).toEqual(ranked);
  });

  it('are none where no word is shared, and do not stand on words that mean nothing', () => {
    expect(namesOf('xylophone', 15)).toEqual([]);
    expect(namesOf('please do it for me with that', 15)).toEqual([]);
    expect(namesOf('', 15)).toEqual([]);
  });

  it('are found by the words of their names and in other forms', () => {
    expect(namesOf('kubernetesScaleDeployment', 1)).toEqual(['kubernetes_scale_deployment']);
    expect(namesOf('refunding payments', 1)).toEqual(['stripe_refund_payment']);
  });
});

describe('tools loaded for a session', () => {
  it('are the whole view where it is small enough', () => {
    const small = whole.narrow({ prefix: 'github_' });
    expect(loadTools({ toolset: small, window: 100_000, strategy: 'dynamic' })).toMatchObject({
      ok: true,
      toolset: small,
    });
  });

  it('need a task to be chosen by', () => {
    expect(() => loadTools({ toolset: whole, window: 100_000, strategy: 'dynamic' })).toThrow('Pass task');
  });

  it('stand in the order of the view, so that a prompt cache sees the same beginning', () => {
    const { toolset: chosen } = loadTools({
      toolset: whole,
      window: 1e6,
      strategy: 'dynamic',
      task: 'read the log file',
    });
    expect(chosen.names).toEqual(whole.names.filter((name) => chosen.has(name)));
    expect(chosen.names.length).toBeGreaterThan(2);
  });

  it('hold what is to be loaded always, whatever the task', () => {
    const options = { toolset: whole, window: 1e6, strategy: 'dynamic', task: 'weather' } as const;
    const loaded = loadTools({ ...options, always: ['read_file', 'sql_query'] });
    expect(loaded.toolset.names).toEqual(['read_file', 'sql_query', 'weather_forecast']);
    expect(() => loadTools({ ...options, always: ['shell'] })).toThrow(
      '"shell" must always be loaded, but is not in the toolset',
    );
    expect(() => loadTools({ ...options, window: 200, always: ['read_file'] })).toThrow('no room for "read_file"');
  });

  it('are the first ones, and said to be, where no word is shared', () => {
    const loaded = loadTools({ toolset: whole, window: 1e6, strategy: 'dynamic', task: 'xylophone' });
    expect(loaded).toMatchObject({ ok: true, matched: 0 });
    expect(loaded.toolset.names).toEqual(whole.names.slice(0, 15));
  });

  it('stay under the largest share of a small window', () => {
    const task = 'list files, tables, issues, channels, alerts, pods and charges';
    const loaded = loadTools({ toolset: whole, window: 2000, strategy: 'dynamic', task });
    expect(loaded.measured.share).toBeLessThan(0.1);
    expect(loaded.toolset.names.length).toBeGreaterThan(0);
    expect(loaded.toolset.names.length).toBeLessThan(5);
  });

  it('count a tool that fronts others for all of them', () => {
    const gateway = tool({
      name: 'weather_gateway',
      description: 'All weather services. Not for forecasts of one place.',
      effect: 'pure',
      execute: async () => '',
      surface: 30,
    });
    const task = 'weather services and forecasts';
    const loaded = loadTools({ toolset: toolset([gateway, ...SIXTY]), window: 1e6, strategy: 'dynamic', task });
    expect(loaded.toolset.has('weather_gateway')).toBe(false);
    expect(loaded.toolset.has('weather_forecast')).toBe(true);
    const wide = toolBudget({ warnAbove: 35, because: 'a gateway' });
    const roomy = loadTools({
      toolset: toolset([gateway, ...SIXTY]),
      window: 1e6,
      strategy: 'dynamic',
      task,
      budget: wide,
    });
    expect(roomy.toolset.has('weather_gateway')).toBe(true);
  });
});
