import { describe, expect, it } from 'vitest';
import type { MadeCall, Run } from '../../core/run.js';
import type { CommitResult } from './contracts.js';
import { assertInvariants, assertProvenance } from './invariants.js';
import { START } from './phases.js';
import { contentHash } from './seal.js';
import { LoopLog, type Work } from './work.js';

const LIMITS = { tokensIn: 100, tokensOut: 100, iterations: 5, depth: 1 };
const CALLS: readonly MadeCall[] = [
  { effect: '/act-3#0', tool: 'look', ok: true, tookPlace: true, args: {}, result: '' },
];
const OUTPUTS = { artefacts: [{ name: 'answer', text: 'yes' }], reports: [] };

function runWith(given: { spent?: object; path?: string; calls?: readonly MadeCall[] } = {}): Run {
  const spent = { tokensIn: 0, tokensOut: 0, iterations: 0, ...given.spent };
  const { path = '', calls = CALLS } = given;
  return { path, calls: () => calls, budget: { limits: LIMITS, spent: () => spent } } as unknown as Run;
}

function workWith(given: Partial<Work> = {}): Work {
  return {
    position: { ...START, phase: 'DECOMPOSE', iteration: 1 },
    log: { transitions: [{ from: 'PLAN', event: 'planned', to: 'DECOMPOSE' }] },
    task: { id: 't' },
    evidence: { items: [{ id: 'e1' }], gaps: [] },
    repairing: { repairs: [] },
    ...given,
  } as unknown as Work;
}

describe('the invariants of a commit loop', () => {
  it('hold where everything is as it should be', () => {
    expect(() => assertInvariants(runWith(), workWith())).not.toThrow();
    expect(() => assertInvariants(runWith({ path: '/child.0/plan-1' }), workWith())).not.toThrow();
  });

  const broken: readonly (readonly [string, Run, Work])[] = [
    ['tokens', runWith({ spent: { tokensIn: 101 } }), workWith()],
    ['tokens', runWith({ spent: { tokensOut: 101 } }), workWith()],
    ['iterations', runWith({ spent: { iterations: 6 } }), workWith()],
    ['depth', runWith({ path: '/child.0/act-3/child.1' }), workWith()],
    ['every transition is in the journal', runWith(), workWith({ log: new LoopLog() })],
    ['the last transition led here', runWith(), workWith({ position: { ...START, phase: 'ACT', iteration: 1 } })],
    ['identity of its own', runWith({ calls: [...CALLS, ...CALLS] }), workWith()],
  ];
  it.each(broken)('stop the loop with INVARIANT_BROKEN: %s [R4-LOOP-INVARIANTS]', (what, run, work) => {
    expect(() => assertInvariants(run, work)).toThrow(
      expect.objectContaining({ code: 'INVARIANT_BROKEN', message: expect.stringContaining(what) as string }),
    );
  });

  const traced = {
    task: 't',
    planHash: 'p',
    outputHash: contentHash(OUTPUTS),
    repairs: [],
    toolCalls: [{ effect: '/act-3#0', tool: 'look', ok: true, tookPlace: true }],
    evidence: [{ id: 'e1' }],
  };
  const resultWith = (provenance: object): CommitResult =>
    ({ outputs: OUTPUTS, provenance: { ...traced, ...provenance } }) as unknown as CommitResult;

  it('hold for a result that can be traced', () => {
    expect(() => assertProvenance(runWith(), workWith(), resultWith({}))).not.toThrow();
  });

  it.each([
    { task: 'another' },
    { planHash: '' },
    { outputHash: 'another' },
    { repairs: [{}] },
    { toolCalls: [] },
    { toolCalls: [{ effect: '/made-up#1', tool: 'look', ok: true, tookPlace: true }] },
    { evidence: [{ id: 'made up' }] },
  ])('refuse a result that cannot: %o [R4-LOOP-INVARIANTS]', (provenance) => {
    expect(() => assertProvenance(runWith(), workWith(), resultWith(provenance))).toThrow(/can be traced/);
  });
});
