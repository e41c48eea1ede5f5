import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { scoreThresholds } from 'flyball/loops';
import { describe, expect, it } from 'vitest';
import { DEFAULT_RUBRIC } from '../../packages/flyball/src/checks/rubric.js';
import { CONTROLLER_DEFAULTS } from '../../packages/flyball/src/loops/commit/control/settings.js';
import { exitSettings } from '../../packages/flyball/src/loops/commit/exit/settings.js';
import { LOOP_LIMITS, PHASES, TRANSITIONS } from '../../packages/flyball/src/loops/commit/phases.js';
import { SEVERITY } from '../../packages/flyball/src/loops/commit/repair/strategy.js';
import { root } from '../../scripts/files.mjs';

const page = readFileSync(join(root, 'docs/commit-loop.md'), 'utf8');

/** Rows of the table with these headings, without backquotes. */
function table(...headings: readonly string[]): readonly (readonly string[])[] {
  const head = `| ${headings.join(' | ')} |\n`;
  const rows = page.split(head)[1]?.split('\n').slice(1) ?? [];
  const end = rows.findIndex((row) => !row.startsWith('|'));
  return rows.slice(0, end).map((row) => row.slice(2, -2).replaceAll('`', '').split(' | '));
}

describe('docs/commit-loop.md', () => {
  it('has every transition of the table, and no other', () => {
    const documented = table('From', 'Event', 'To');
    const always = documented.flatMap(([from, event]) => (from === 'any at work' ? [event] : []));
    const working = PHASES.filter((phase) => Object.keys(TRANSITIONS[phase]).length > 0);
    for (const phase of working) expect(Object.keys(TRANSITIONS[phase])).toEqual(expect.arrayContaining(always));
    const own = working.flatMap((phase) =>
      Object.entries(TRANSITIONS[phase]).flatMap(([event, to]) => (always.includes(event) ? [] : [[phase, event, to]])),
    );
    expect(documented.filter(([from]) => from !== 'any at work')).toEqual(own);
  });

  it('names the limits, gates and triggers with the numbers that hold', () => {
    expect(table('Limit', 'Default', 'Limits').map(([name, value]) => [name, value])).toEqual(
      Object.entries(LOOP_LIMITS).map(([name, value]) => [name, String(value)]),
    );
    const { gates, pReview, pAuto, novelty } = exitSettings();
    const { dimensions, sum } = scoreThresholds({ gates });
    expect(table('Gate', 'Measured by', 'Passes at').map(([name, , passes]) => [name, Number(passes)])).toEqual([
      ['schema', 1],
      ...Object.entries(dimensions),
      ['rubric', sum],
      ['tests', gates.tests],
      ['consistency', gates.consistency],
      ['confidence', pReview],
    ]);
    const contracts = readFileSync(join(root, 'packages/flyball/src/loops/commit/contracts.ts'), 'utf8');
    const union = /export type ApprovalTrigger =([^;]+);/.exec(contracts)?.[1] ?? '';
    const triggers = [...union.matchAll(/'([^']+)'/g)].map((match) => match[1]);
    expect(table('Trigger', 'Applies when').map(([name]) => name)).toEqual(triggers);
    expect(page).toContain(`confidence is below ${pAuto}`);
    expect(page).toContain(`novelty above ${novelty}`);
  });

  it('tells the defaults of rubric, repair and controller', () => {
    for (const { name, weight, minimum } of DEFAULT_RUBRIC.dimensions)
      expect(page.toLowerCase()).toMatch(new RegExp(`${name} \\((weight )?${weight}, (minimum )?${minimum}\\)`));
    expect(page).toContain(`The sum has to reach ${DEFAULT_RUBRIC.threshold}`);
    const [edit = [], rewrite = []] = table('Strategy', 'Changes', 'Chosen by severity', 'By intensity');
    expect(edit[2]).toContain(String(SEVERITY.edit));
    expect(rewrite[2]).toContain(String(SEVERITY.rewrite));
    const { alpha, epsilon, maxEpsilon, deltaMin } = CONTROLLER_DEFAULTS;
    expect(page).toContain(`with α = ${alpha}`);
    expect(page).toContain(`ε = ${epsilon}`);
    expect(page).toContain(`relaxed to at most ${maxEpsilon}`);
    expect(page).toContain(`a change below ${deltaMin}`);
  });
});
