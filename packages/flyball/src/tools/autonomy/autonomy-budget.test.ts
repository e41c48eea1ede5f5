import { describe, expect, it } from 'vitest';
import { context, proposed, toolOf } from '../../../../../test/governance/context.js';
import { NOTHING } from '../../core/budget.js';
import { pathRules } from '../rules/paths.js';
import { autonomyBudget } from './autonomy-budget.js';

const write = toolOf<{ files: number; lines: number }>({
  name: 'write',
  touches: ({ files, lines }) => ({
    writes: Array.from({ length: files }, (_, at) => ({ path: `/work/${at}`, lines: lines / files })),
  }),
});

describe('an autonomy budget', () => {
  it('judges an iteration by EF-05 and EF-06, and the graver answer counts [R3-AUTO-POINTS] [R3-AUTO-LIMITS]', () => {
    const autonomy = autonomyBudget();
    expect(autonomy.onIteration({ ...NOTHING, iterations: 10 })).toMatchObject({ result: 'allowed' });
    expect(autonomy.onIteration({ ...NOTHING, iterations: 85 })).toMatchObject({ result: 'warned', point: 'EF-05' });
    expect(autonomy.onIteration({ ...NOTHING, iterations: 100 })).toMatchObject({ result: 'blocked', point: 'EF-05' });
    expect(autonomy.onIteration({ ...NOTHING, iterations: 85, wallMs: 3_600_000 })).toMatchObject({
      result: 'blocked',
      point: 'EF-06',
    });
  });

  it('keeps no counters: the same question gets the same answer, however often it is asked [R3-AUTO-LEDGER]', async () => {
    const autonomy = autonomyBudget({ limits: { iterations: 1, toolCalls: 1 } });
    for (let time = 0; time < 5; time++) {
      expect(autonomy.onIteration(NOTHING)).toMatchObject({ result: 'warned' }); // the first of one
      expect(await proposed(autonomy.seam(), write, { files: 0, lines: 0 })).toMatchObject({ allow: true });
    }
    const later = context({ spent: { toolCalls: 1 } });
    expect(await proposed(autonomy.seam(), write, { files: 0, lines: 0 }, later)).toMatchObject({ allow: false });
  });

  it('counts all that one call writes together, by what it names or what it reserves [R3-AUTO-POINTS]', async () => {
    const seam = autonomyBudget().seam();
    const at = (spent: object) => context({ spent });
    expect(await proposed(seam, write, { files: 3, lines: 9 }, at({ filesChanged: 47 }))).toMatchObject({
      allow: true,
    });
    expect(await proposed(seam, write, { files: 3, lines: 9 }, at({ filesChanged: 48 }))).toMatchObject({
      allow: false,
      why: 'Refused by the autonomy budget (EF-07, files modified). This would be 51 of 50 files modified.',
    });
    expect(await proposed(seam, write, { files: 3, lines: 9 }, at({ linesChanged: 4992 }))).toMatchObject({
      allow: false,
    });
    const reserves = toolOf({ name: 'patch', reserve: () => ({ filesChanged: 2, linesChanged: 100 }) });
    expect(await proposed(seam, reserves, {}, at({ filesChanged: 49 }))).toMatchObject({ allow: false });
    expect(await proposed(seam, reserves, {}, at({ linesChanged: 4901 }))).toMatchObject({ allow: false });
  });

  it('tells a warning when it is new, and once for a call [R3-AUTO-POINTS]', async () => {
    const seam = autonomyBudget().seam();
    const crossing = context({ spent: { filesChanged: 38 } });
    await proposed(seam, write, { files: 3, lines: 3 }, crossing);
    expect(crossing.decisions).toEqual([
      { guard: 'autonomy-budget', verdict: 'warned', rule: 'EF-07', why: 'This is 41 of 50 files modified.' },
    ]);
    const past = context({ spent: { filesChanged: 41 } });
    await proposed(seam, write, { files: 3, lines: 3 }, past);
    expect(past.decisions).toEqual([]);
  });

  it('lets pass and tells, or asks a person, where its modes say so [R3-AUTO-POINTS]', async () => {
    const paths = pathRules({ roots: [{ path: '/elsewhere', write: true }] });
    const told = context();
    const warning = autonomyBudget({ paths, modes: { 'EF-02': 'warn' } }).seam();
    expect(await proposed(warning, write, { files: 1, lines: 1 }, told)).toEqual({
      allow: true,
      args: { files: 1, lines: 1 },
    });
    expect(told.decisions).toMatchObject([{ verdict: 'warned', rule: 'EF-02' }]);
    const asked = context();
    const escalating = autonomyBudget({ paths, modes: { 'EF-02': 'escalate' } }).seam();
    expect(await proposed(escalating, write, { files: 1, lines: 1 }, asked)).toMatchObject({
      allow: true,
      approval: expect.stringContaining('EF-02, file write'),
    });
    expect(asked.decisions).toMatchObject([{ verdict: 'escalated', rule: 'EF-02' }]);
  });

  it('says when the loop has done what it was let loose for [R3-AUTO-STOP]', () => {
    const autonomy = autonomyBudget({ stopWhen: [{ kind: 'toolCalled', tool: 'submit' }] });
    expect(autonomy.shouldStop({ spent: NOTHING, calledTools: {} })).toBeUndefined();
    expect(autonomy.shouldStop({ spent: NOTHING, calledTools: { submit: 1 } })?.why).toContain('submit');
    expect(autonomyBudget().shouldStop({ spent: NOTHING, calledTools: { submit: 1 } })).toBeUndefined();
  });
});
