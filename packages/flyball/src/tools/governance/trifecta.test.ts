import { describe, expect, it } from 'vitest';
import { context, toolOf } from '../../../../../test/governance/context.js';
import type { TrifectaLeg } from '../../core/tool.js';
import { proposedCall } from './proposed-call.js';
import { auditTrifecta, legsFrom, trifectaGuard } from './trifecta.js';

const standing = (name: string, ...legs: TrifectaLeg[]) => toolOf({ name, legs });
const inbox = standing('inbox', 'private-data', 'untrusted-content');
const files = standing('files', 'private-data');
const page = standing('page', 'untrusted-content', 'outbound');
const post = standing('post', 'outbound');
const clock = standing('clock');
const tools = [inbox, files, page, post, clock];

function verdictAfter(called: readonly string[], tool: (typeof tools)[number], how: 'escalate' | 'deny' = 'escalate') {
  const calledTools = Object.fromEntries(called.map((name) => [name, 1]));
  return trifectaGuard(
    how,
    legsFrom(() => tools),
  ).check(proposedCall(tool, {}), context({ calledTools }));
}

describe('the lethal trifecta', () => {
  it.each([
    [['inbox'], post],
    [['files', 'page'], post],
    [['files'], page],
    [['page'], files],
    [['post'], inbox],
    [['inbox', 'post'], post], // agreed to once is not agreed to for ever
  ])('is completed after %j by one more call [R3-GOV-TRIFECTA]', (called, tool) => {
    expect(verdictAfter(called, tool)).toMatchObject({
      verdict: 'ask',
      told: [{ guard: 'trifecta', verdict: 'escalated' }],
    });
    expect(verdictAfter(called, tool, 'deny')).toMatchObject({
      verdict: 'refuse',
      told: [{ guard: 'trifecta', verdict: 'denied' }],
    });
  });

  it.each([
    [[], inbox],
    [['inbox'], clock],
    [['inbox'], files],
    [['page'], page],
    [['files'], post],
    [['inbox', 'post'], files], // reads on, and nothing leaves by it
  ])('is not completed after %j by a harmless call', (called, tool) => {
    expect(verdictAfter(called, tool)).toMatchObject({ verdict: 'pass' });
  });

  it('counts every leg of a tool that was called and is no longer known [R3-GOV-TRIFECTA]', () => {
    expect(verdictAfter(['forgotten'], post)).toMatchObject({ verdict: 'ask' });
    expect(verdictAfter(['forgotten'], files)).toMatchObject({ verdict: 'pass' });
    const legsOf = legsFrom(() => []);
    legsOf.learn(clock);
    expect(
      trifectaGuard('deny', legsOf).check(proposedCall(post, {}), context({ calledTools: { clock: 1 } })),
    ).toMatchObject({ verdict: 'pass' });
  });
});

describe('the audit of a set of tools', () => {
  it.each([
    [[clock], 'standard'],
    [[clock, post], 'standard'],
    [[inbox], 'elevated'],
    [[inbox, post], 'block'],
    [[files, page], 'block'],
    [[clock, toolOf({ name: 'silent' })], 'incomplete'],
    [[inbox, post, toolOf({ name: 'silent' })], 'block'],
  ])('of %j is %s [R3-GOV-TRIFECTA]', (set, verdict) => {
    expect(auditTrifecta(set).verdict).toBe(verdict);
  });

  it('names who stands where, and who does not say [R3-GOV-TRIFECTA]', () => {
    expect(auditTrifecta([inbox, page, toolOf({ name: 'silent' })])).toMatchObject({
      legs: { 'private-data': ['inbox'], 'untrusted-content': ['inbox', 'page'], outbound: ['page'] },
      undeclared: ['silent'],
    });
  });
});
