import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_CONFIG } from 'flyball/loops';
import { ROUTER_DEFAULTS } from 'flyball/models';
import { AUTONOMY_LEVELS, DEFAULT_AUTONOMY, DEFAULT_RATE_LIMIT, ENFORCEMENT_POINTS } from 'flyball/tools';
import { describe, expect, it } from 'vitest';
import { root } from '../scripts/files.mjs';
import { outcomeFor, type TerminationReason } from '../src/loops/tool-loop/termination.js';
import { PROVIDERS, type ProviderFacts, type SettingName } from '../src/models/providers.js';

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

  it('explains every misbehaviour of the model server', () => {
    const union =
      /export type Misbehaviour =(.*?);/s.exec(read('src/testing/model-server/server-script.ts'))?.[1] ?? '';
    const known = [...union.matchAll(/'([^']+)'/g)].map((match) => match[1]);
    const documented = table('docs/models.md', 'Misbehaviour', 'What goes wrong').flatMap(([names = '']) =>
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

  it('says for every reason with what outcome the loop ends', () => {
    const union = /export type TerminationReason =(.*?);/s.exec(read('src/loops/tool-loop/termination.ts'))?.[1] ?? '';
    const reasons = [...union.matchAll(/'([^']+)'/g)].map((match) => match[1] as TerminationReason);
    const documented = new Map(
      table('docs/tool-loop.md', 'termination', 'Outcome', 'When').map(([reason, outcome]) => [reason, outcome]),
    );
    expect([...documented.keys()].sort()).toEqual([...reasons].sort());
    for (const reason of reasons)
      expect(documented.get(reason), reason).toBe(outcomeFor({ reason, why: '' }, undefined).stop);
  });
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
    expect(read('docs/governance.md')).toContain(`from ${DEFAULT_AUTONOMY.warnAt * 100} % of a limit on`);
  });

  it('names the levels, the rate limit, and the guards in the order in which they run', () => {
    expect(table('docs/governance.md', 'Level', 'May').map(([level]) => level)).toEqual([...AUTONOMY_LEVELS]);
    const { perMinute, burst } = DEFAULT_RATE_LIMIT;
    expect(read('docs/governance.md')).toContain(`more than ${perMinute} calls a minute or ${burst} a second`);
    const order =
      /function guardsOf.*?return \[(.*?)\n {2}\];/s.exec(read('src/tools/governance/governance.ts'))?.[1] ?? '';
    const run = [...order.matchAll(/(\w+)Guard\(/g)].map((match) => match[1]);
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
