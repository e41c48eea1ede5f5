import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { budget } from 'flyball';
import { type PlanStep, readPlan, validatePlan } from 'flyball/plans';
import { describe, expect, it } from 'vitest';
import { APPROVAL_RULES } from '../packages/flyball/src/core/approval.js';
import { MOST_REASKS } from '../packages/flyball/src/core/ask-until.js';
import { WIDGETS } from '../packages/flyball/src/core/question.js';
import { STATE_RULES } from '../packages/flyball/src/core/run-state.js';
import {
  DEFAULT_REPLANS,
  DEFAULT_REPROMPTS,
  DEFAULT_REVISIONS,
  DEFAULT_WIDTH,
} from '../packages/flyball/src/loops/plan/parts.js';
import { DEFAULT_CONFIG } from '../packages/flyball/src/loops/tool-loop/config.js';
import { outcomeFor, type TerminationReason } from '../packages/flyball/src/loops/tool-loop/termination.js';
import { PROVIDERS, type ProviderFacts, type SettingName } from '../packages/flyball/src/models/providers.js';
import { ROUTER_DEFAULTS } from '../packages/flyball/src/models/router-policy.js';
import { UNMODIFIED_ABOVE, UNMODIFIED_BELOW } from '../packages/flyball/src/people/inbox-metrics.js';
import { MAX_BRANCH_DEPTH, MAX_BRANCHES } from '../packages/flyball/src/plans/branches.js';
import { MAX_STEPS } from '../packages/flyball/src/plans/read-plan.js';
import { DEFAULT_AUTONOMY, ENFORCEMENT_POINTS } from '../packages/flyball/src/tools/autonomy/profile.js';
import { AUTONOMY_LEVELS } from '../packages/flyball/src/tools/governance/autonomy-level.js';
import { DEFAULT_RATE_LIMIT } from '../packages/flyball/src/tools/governance/rate-limit.js';
import { root } from '../scripts/files.mjs';

/** Tables in the documentation that say what the code says: here they are held to it. */

const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** The rows of the table whose heading begins with these columns, cell by cell, without backticks. */
function table(path: string, ...columns: readonly string[]): readonly (readonly string[])[] {
  const lines = read(path).split('\n').map(cellsOf);
  const start = lines.findIndex((cells) => columns.every((column, n) => cells?.[n] === column));
  if (start < 0) throw new Error(`${path} has no table with the columns ${columns.join(', ')}.`);
  const end = lines.indexOf(undefined, start);
  return lines.slice(start + 2, end).map((cells) => cells ?? []);
}

function cellsOf(line: string): readonly string[] | undefined {
  if (!line.startsWith('|')) return undefined;
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.replaceAll('`', '').trim());
}

/** Settings with a name for each, those of groups as `group.name`. */
function flat(settings: object, prefix = ''): readonly (readonly [string, string])[] {
  return Object.entries(settings).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null
      ? flat(value, `${prefix}${name}.`)
      : [[`${prefix}${name}`, String(value)] as const],
  );
}

describe('docs/guide.md', () => {
  it('names every axis of a budget with its default', () => {
    const documented = table('docs/guide.md', 'Axis', 'Default', 'Counts').flatMap(([axes = '', values = '']) =>
      axes.split(', ').map((axis, n) => [axis, values.split(', ')[n]]),
    );
    const defaults = Object.entries({ ...budget(), deadline: 'none' }).map(([axis, limit]) => [axis, String(limit)]);
    expect(documented.sort()).toEqual(defaults.sort());
  });
});

describe('docs/events.md', () => {
  it('says of every piece of state what a fork and the next generation have of it [R8-DOCS-CLAIMS]', () => {
    const rows = table('docs/events.md', 'Field', 'What it is', 'Fork', 'Next generation');
    expect(rows.map(([field, _what, fork, generation]) => [field, fork, generation])).toEqual(
      Object.entries(STATE_RULES).map(([field, { fork, generation }]) => [field, fork, generation]),
    );
    for (const { fork, liveFork } of Object.values(STATE_RULES)) expect(liveFork).toBe(fork); // one column for both
    const words = new Set(rows.flatMap(([, , ...rules]) => rules));
    for (const word of words) expect(read('docs/events.md')).toContain(`*${word}*: `);
  });
});

describe('CONTRIBUTING.md', () => {
  it('names the ports that have a contract suite, and no others [R8-DOCS-CLAIMS]', () => {
    const [, named = ''] = /A port that others may implement \(([^)]*)\)/.exec(read('CONTRIBUTING.md')) ?? [];
    const suites = [...read('packages/flyball/src/testing/index.ts').matchAll(/\b(\w+)Contract\b/g)].map(
      (match) => match[1],
    );
    expect(named.split(', ').sort()).toEqual([...new Set(suites)].sort());
  });
});

describe('docs/models.md', () => {
  it('lists every provider with the variables that it needs and reads', () => {
    expect(table('docs/models.md', 'Provider', 'Needs', 'Reads', 'Reached through')).toEqual(
      Object.entries(PROVIDERS).map(([name, facts]) => [name, needs(facts), reads(facts), reached(facts)]),
    );
  });

  it('names the defaults of the router', () => {
    const documented = table('docs/models.md', 'Setting', 'Default', 'Means').map(([name, value]) => [name, value]);
    expect(documented).toEqual(flat(ROUTER_DEFAULTS));
  });

  it('explains every misbehavior of the model server', () => {
    const union =
      /export type Misbehavior =(.*?);/s.exec(
        read('packages/flyball/src/testing/model-server/server-script.ts'),
      )?.[1] ?? '';
    const known = [...union.matchAll(/'([^']+)'/g)].map((match) => match[1]);
    const documented = table('docs/models.md', 'Misbehavior', 'What goes wrong').flatMap(([names = '']) =>
      names.split(', '),
    );
    expect(documented).toEqual(known);
  });
});

function needs({ needs: ways, variables }: ProviderFacts): string {
  const named = (name: SettingName) => variables[name]?.[0] ?? name;
  return ways.map((all) => all.map(named).join(' and ')).join(', or ') || 'nothing';
}

function reads({ variables }: ProviderFacts): string {
  return Object.values(variables).flat().join(', ');
}

function reached({ wire, baseUrl }: ProviderFacts): string {
  switch (wire.kind) {
    case 'ai-sdk':
      return `@ai-sdk/${wire.name}`;
    case 'llama':
      return 'node-llama-cpp, in this process';
    case 'ollama':
      return `Ollama at ${baseUrl}`;
    case 'openai':
      return `chat completions at ${baseUrl ?? 'the address given'}`;
  }
}

describe('docs/tool-loop.md', () => {
  it('names the defaults of the loop', () => {
    const documented = table('docs/tool-loop.md', 'Setting', 'Default', 'Means').map(([name, value]) => [name, value]);
    expect(documented).toEqual(flat(DEFAULT_CONFIG));
  });

  const ENDED = {
    output: '',
    rawText: '',
    tokens: 0,
    model: '',
    iterations: 0,
    toolCalls: 0,
    toolsUsed: [],
    termination: 'completed',
    why: '',
  } as const;

  it('says for every reason with what outcome the loop ends', () => {
    const union =
      /export type TerminationReason =(.*?);/s.exec(read('packages/flyball/src/loops/tool-loop/termination.ts'))?.[1] ??
      '';
    const reasons = [...union.matchAll(/'([^']+)'/g)].map((match) => match[1] as TerminationReason);
    const documented = new Map(
      table('docs/tool-loop.md', 'termination', 'Outcome', 'When').map(([reason, outcome]) => [reason, outcome]),
    );
    expect([...documented.keys()].sort()).toEqual([...reasons].sort());
    for (const reason of reasons)
      expect(documented.get(reason), reason).toBe(outcomeFor({ reason, why: '' }, ENDED).stop);
  });
});

describe('docs/plans.md', () => {
  it('names the fields of a step with what they are where a planner leaves them out', () => {
    const said = (value: unknown) => (value === undefined || value === '' ? 'none' : value);
    const [step] = planFrom([{ id: 'a', description: 'Do it.' }]).steps;
    const rows = table('docs/plans.md', 'Field', 'Default', 'Means');
    const union = /const KNOWN = \[(.*?)\]/s.exec(read('packages/flyball/src/plans/read-step.ts'))?.[1] ?? '';
    expect(rows.map(([name]) => name)).toEqual([...union.matchAll(/'([^']+)'/g)].map((match) => match[1]));
    for (const [name = '', value] of rows.slice(2)) {
      const given = said(step?.[name as keyof PlanStep]);
      expect(value, name).toBe(typeof given === 'string' ? given : JSON.stringify(given));
    }
  });

  it('gives every check its severity and its action', () => {
    const found = [
      ...WRONG_PLANS.flatMap(([plan, more]) => validatePlan(planFrom(plan), { ...SOUND, ...more }).issues),
    ];
    const documented = table('docs/plans.md', 'Check', 'Severity', 'Action', 'Fails when').map((row) =>
      row.slice(0, 3),
    );
    const sorted = (rows: readonly (readonly string[])[]) => [...new Set(rows.map((row) => row.join(' ')))].sort();
    expect(sorted(found.map(({ check, severity, action }) => [check, severity, action]))).toEqual(sorted(documented));
  });

  it('names the limits', () => {
    const documented = table('docs/plans.md', 'Setting', 'Default', 'Limits').map(([name, value]) => [name, value]);
    expect(documented).toEqual([
      ['maxReasks', String(MOST_REASKS)],
      ['maxRevisions', String(DEFAULT_REVISIONS)],
      ['maxReprompts', String(DEFAULT_REPROMPTS)],
      ['maxReplans', String(DEFAULT_REPLANS)],
      ['width', String(DEFAULT_WIDTH)],
    ]);
    const page = read('docs/plans.md');
    expect(page).toContain(`A plan has at most ${MAX_STEPS} steps`);
    expect(page).toContain(`nest at most ${MAX_BRANCH_DEPTH} deep, and a plan has at most ${MAX_BRANCHES} of them`);
  });

  it('lists every note that a plan leaves', () => {
    const files = [
      'approve-step',
      'ask-for-plan',
      'compensate',
      'draft-plan',
      'execute-plan',
      'execution',
      'progress',
      'run-step',
      'synthesize',
    ];
    const noted = files.flatMap((file) => [
      ...read(`packages/flyball/src/loops/plan/${file}.ts`).matchAll(/note\(\{ kind: '([^']+)'/g),
    ]);
    const documented = table('docs/plans.md', 'Note', 'When').flatMap(([names = '']) => names.split(', '));
    expect([...documented].sort()).toEqual([...new Set(noted.map((match) => match[1]))].sort());
  });
});

/** A world in which nothing is wrong with a plan by itself. */
const SOUND: Parameters<typeof validatePlan>[1] = {
  tools: [],
  facts: [],
  tokensLeft: 1e6,
  width: 4,
  permits: () => true,
};

const steps = (...ids: readonly string[]) => ids.map((id) => ({ id, description: id }));
const nested = (depth: number) => ({
  steps: steps(...Array.from({ length: depth + 1 }, (_, n) => `s${n}`)),
  branches: Array.from({ length: depth }, (_, n) => ({ at: `s${n}`, observation: 'x', ifSo: [`s${n + 1}`] })),
});

/** One for each check, and what makes it fail. */
const WRONG_PLANS: readonly (readonly [plan: object, more: Partial<typeof SOUND>])[] = [
  [
    [
      { id: 'a', description: 'a', dependsOn: ['b'] },
      { id: 'b', description: 'b', dependsOn: ['a'] },
    ],
    {},
  ],
  [[{ id: 'a', description: 'a', dependsOn: ['gone'] }], {}],
  [nested(MAX_BRANCH_DEPTH + 1), {}],
  [[{ id: 'a', description: 'a', stepType: 'tool', requiredTools: ['gone'] }], {}],
  [[{ id: 'a', description: 'a', preconditions: ['x'] }], {}],
  [
    {
      shape: 'partial',
      steps: [
        { id: 'a', description: 'a', effects: ['x'] },
        { id: 'b', description: 'b', dependsOn: ['a'], preconditions: ['x'] },
        { id: 'c', description: 'c', effects: ['!x'] },
      ],
    },
    {},
  ],
  [[{ id: 'a', description: 'a', reversibility: 'irreversible' }], { permits: () => false }],
  [steps('a'), { tokensLeft: 1 }],
  [steps('a'), { latencyMs: 1 }],
  [{ shape: 'partial', steps: steps('a', 'b') }, { width: 1 }],
];

function planFrom(value: object) {
  const found = readPlan(value);
  if (!found.ok) throw new Error(found.problem);
  return found.plan;
}

describe('docs/people.md', () => {
  it('has a row for every widget, verdict and rule of an approval', () => {
    expect(table('docs/people.md', 'Widget', 'Made by').map(([widget]) => widget)).toEqual([...WIDGETS]);
    expect(table('docs/people.md', 'Verdict', 'Needs').map(([verdict]) => verdict)).toEqual([
      'approve',
      'reject',
      'modify',
      'escalate',
    ]);
    const rules = new Map(
      table('docs/people.md', 'Member', 'Means', 'Default').map(([name, , value]) => [name, value]),
    );
    for (const name of [...Object.keys(APPROVAL_RULES), 'timeoutMs'])
      expect([...rules.keys()]).toContain(`approval.${name}`);
    expect(rules.get('approval.people')).toBe(String(APPROVAL_RULES.people));
    expect(rules.get('approval.maxModifications')).toBe(String(APPROVAL_RULES.maxModifications));
    const page = read('docs/people.md');
    expect(page).toContain(`when more than ${UNMODIFIED_ABOVE * 100}% are approved`);
    expect(page).toContain(`below ${UNMODIFIED_BELOW * 100}%`);
  });
});

describe('plans, people and the commit loop', () => {
  it.each(['plans', 'people', 'commit-loop'])(
    'docs/%s.md shows code of examples that are compiled and run [R4-DOCS]',
    (name) => {
      const sources = [...read(`docs/${name}.md`).matchAll(/<!-- from (\S+?)(?:#\S+)? -->/g)].map(
        (match) => match[1] ?? '',
      );
      const programs = new Set(sources.filter((source) => /^examples\/[^/]+\.ts$/.test(source)));
      expect(programs.size).toBeGreaterThan(0);
      for (const source of programs) expect(read(source), source).toContain("from 'node:assert'"); // it checks itself when it runs
      expect(read('README.md')).toContain(`docs/${name}.md`);
    },
  );
});

describe('docs/governance.md', () => {
  it('names the points of the autonomy budget and their limits', () => {
    const { iterations, minutes, filesChanged, linesChanged, toolCalls } = DEFAULT_AUTONOMY.limits;
    const limits: Readonly<Record<string, string>> = {
      'EF-05': `${iterations} iterations`,
      'EF-06': `${minutes} minutes`,
      'EF-07': `${filesChanged} files`,
      'EF-08': `${linesChanged} lines`,
      'tool-calls': `${toolCalls} calls`,
    };
    const rows = table('docs/governance.md', 'Point', 'About', 'Limit');
    expect(rows.map(([point, about]) => [point, about])).toEqual(Object.entries(ENFORCEMENT_POINTS));
    for (const [point = '', , limit] of rows) if (limits[point] !== undefined) expect(limit).toBe(limits[point]);
    expect(read('docs/governance.md')).toContain(`from ${DEFAULT_AUTONOMY.warnAt * 100}% of a limit on`);
  });

  it('names the levels, the rate limit, and the guards in the order in which they run', () => {
    expect(table('docs/governance.md', 'Level', 'May').map(([level]) => level)).toEqual([...AUTONOMY_LEVELS]);
    const { perMinute, burst } = DEFAULT_RATE_LIMIT;
    expect(read('docs/governance.md')).toContain(`more than ${perMinute} calls a minute or ${burst} a second`);
    const order =
      /function guardsOf.*?return \[(.*?)\n {2}\];/s.exec(
        read('packages/flyball/src/tools/governance/governance.ts'),
      )?.[1] ?? '';
    const run = [...order.matchAll(/(\w+)(?:Guard|Check)\(/g)].map((match) => match[1]);
    expect(run).toEqual(['rateLimit', 'autonomy', 'scopes', 'command', 'path', 'domain', 'policy', 'trifecta']);
    const documented = table('docs/governance.md', '', 'Guard').map(([, guard]) => guard);
    expect(documented).toEqual([
      'rate limit',
      'autonomy level',
      'scopes',
      'commands',
      'paths',
      'domains',
      'policy file',
      'trifecta',
      'a person',
    ]);
  });
});
