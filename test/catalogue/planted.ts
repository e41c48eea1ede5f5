import type { Composition } from 'flyball/catalogue';
import { reAct, zeroShot } from 'flyball/patterns';
import { scriptedModel } from 'flyball/testing';
import { z } from 'zod';
import type { AntiPatternId } from '../../packages/flyball/src/catalogue/types.js';
import type { PatternId, Use } from '../../packages/flyball/src/core/use.js';
import { session } from '../patterns/bed.js';
import { seat, stackOf, use } from './systems.js';

/** A composition with a fault, what the linter says to change, and the composition after that change. */
export interface Planted {
  readonly id: AntiPatternId;
  readonly bad: Composition;
  readonly change: string;
  readonly changed: Composition;
}

type System = NonNullable<Composition['system']>;

const HOST: readonly PatternId[] = ['V9', 'V10', 'V12', 'V14'];
const loop = (tools: number, more: Partial<Use> = {}) =>
  use('R4', 'reAct', { parts: { worker: seat('worker', tools) }, params: { maxIterations: 5 }, ...more });
const chain = use('O2', 'sequence', { parts: { steps: [use('S1', 'zeroShot'), use('I1', 'directCall')] } });
export const healthy: Composition = { agents: { bot: loop(3) } };

/** A fault in what is stated about a healthy agent, and what is stated after the change. */
const stated = (
  id: AntiPatternId,
  bad: System,
  change: string,
  changed: System,
  more: Partial<Composition> = {},
): Planted => ({
  id,
  bad: { ...healthy, ...more, system: bad },
  change,
  changed: { ...healthy, ...more, system: changed },
});

/** A fault in how an agent is composed. */
const composed = (
  id: AntiPatternId,
  bad: Use,
  change: string,
  changed: Use,
  more: Partial<Composition> = {},
): Planted => ({ id, bad: { ...more, agents: { bot: bad } }, change, changed: { ...more, agents: { bot: changed } } });

/** A fault in what is stated about an agent with one pattern. */
const about = (pattern: PatternId, ...[id, bad, change, changed]: Parameters<typeof stated>): Planted =>
  stated(id, bad, change, changed, { agents: { bot: use(pattern, pattern) } });

const production = { profile: ['production'] } as const;
const critical = { profile: ['safety-critical'] } as const;
const model = scriptedModel({});
const Answer = z.object({ answer: z.string() });
const typed = { ...session(model, 'w'), output: Answer };
const HELD = { outputGuard: true, retention: true, depthLimit: true, consent: true, erasure: true };
const TUNED = { surface: true, gate: true, reviewer: true, wayBack: true, caps: true };
const PEER = { name: 'peer', wallMs: 1, idleMs: 1, cancels: true, handlesEnd: true, maxDepth: 1 };
const OTHER = { ...PEER, name: 'other' };
const AT_A_PEER = { name: 'peer', url: 'https://peer' };

/** One for each way in which each of the 34 is found before anything runs. */
export const planted: readonly Planted[] = [
  {
    id: 'A1',
    bad: { ...healthy, system: { agents: { bot: { instructionTokens: 9_000 } } } },
    change: 'Divide the work: sequence (O2) or orchestrator (O6).',
    changed: { agents: { bot: chain }, system: { agents: { bot: { instructionTokens: 9_000 } } } },
  },
  {
    id: 'A1',
    bad: { ...healthy, system: { agents: { bot: { taskTypes: 3 } } } },
    change: 'Divide the work: sequence (O2) or orchestrator (O6).',
    changed: { agents: { bot: use('O6', 'orchestrator') }, system: { agents: { bot: { taskTypes: 3 } } } },
  },
  ...[1, 5].map((maxIterations) =>
    composed(
      'A2',
      loop(1, { params: { maxIterations } }),
      'Let a model give the arguments, and call it from code: sequence (O2) and directCall (I1).',
      chain,
    ),
  ),
  {
    id: 'A2',
    bad: { agents: { bot: reAct({ worker: typed, tools: [] }) } },
    change: 'Ask once: zeroShot (S1).',
    changed: { agents: { bot: zeroShot(typed) } },
  },
  ...[loop(2), use('V9', 'withBudget', { parts: { agent: loop(2, { params: {} }) } })].map((changed) =>
    composed(
      'A3',
      loop(2, { params: {} }),
      'Set one of maxIterations, costUsd, wallMs, toolCalls, or put it into withBudget (V9).',
      changed,
      { host: ['V14'] },
    ),
  ),
  stated('A3', { delegates: [PEER, { ...OTHER, maxDepth: undefined as never }] }, 'Give each a maxDepth.', {
    delegates: [PEER, OTHER],
  }),
  stated(
    'A4',
    { agents: { bot: { policy: 'p' } } },
    'Name its owner in `ownership`.',
    { agents: { bot: { owner: 'ann', policy: 'p' } } },
    production,
  ),
  {
    id: 'A4',
    bad: { ...healthy, ...production, system: { agents: { bot: { owner: 'ann' } } } },
    change: 'Hold it to a policy: policyGuard (V7).',
    changed: {
      agents: { bot: loop(3, { provides: ['V7'] }) },
      ...production,
      system: { agents: { bot: { owner: 'ann' } } },
    },
  },
  stated('A4', { agents: { bot: { traced: false } } }, 'Run it where its runs are recorded: traceOf (V14).', {
    agents: { bot: { traced: true } },
  }),
  stated('A4', { agents: { old: { unused: true } } }, 'Remove it.', { agents: {} }),
  stated(
    'A4',
    {
      agents: {
        a: { description: 'Answers questions about bills.' },
        b: { description: 'Answers questions about bills!' },
      },
    },
    'Make one agent of it and b, or say what each is for that the other is not.',
    { agents: { a: { description: 'Answers questions about bills.' } } },
  ),
  stated('A5', { crossings: { call: false, output: true } }, 'Add guards there: guardrails (V5) at call.', {
    crossings: { call: true, output: true },
  }),
  stated(
    'A5',
    { crossings: { input: true, call: false, output: true } },
    'Add guards there: guardrails (V5) at call.',
    { crossings: { input: true, call: true, output: true } },
  ),
  stated('A6', { evals: { changedAt: 2, passedAt: 1 } }, 'Evaluate the changed version: runSuite (V16).', {
    evals: { changedAt: 2, passedAt: 3 },
  }),
  stated(
    'A6',
    { evals: { suites: [] } },
    'Add a suite: runSuite (V16).',
    { evals: { suites: [{ cases: 'real' }] } },
    production,
  ),
  composed(
    'A7',
    loop(3, { parts: { worker: seat('worker', 3), window: [] } }),
    'Give its window a policy: pruning (K7) or compression (K6).',
    loop(3, { parts: { worker: seat('worker', 3), window: [use('K7', 'pruning')] } }),
  ),
  stated('A8', { steps: [{ name: 'b', needs: [], after: 'a' }] }, 'Run it beside a: mapReduce (O4).', {
    steps: [{ name: 'b', needs: [] }],
  }),
  stated(
    'A9',
    { agents: { bot: { isPure: false } } },
    'Keep its state in the run, where it is part of the input, and have that checked: conformance (V12).',
    { agents: { bot: { isPure: true } } },
  ),
  stated(
    'A10',
    { tools: [{ name: 'pay', mapsErrors: false }] },
    'Let it throw, or return its errors in a form that its description names.',
    { tools: [{ name: 'pay', mapsErrors: true }] },
  ),
  stated('A11', { foreignTypes: ['src/billing.ts'] }, 'Move what uses them into an adapter.', { foreignTypes: [] }),
  stated('A11', { foreignLoop: 'graph.ts' }, 'Own the control flow: let the runtime run the loop.', {}),
  ...[loop(15), loop(41, { provides: ['V13'] })].map((changed) =>
    composed('A12', loop(41), 'Show at most 15, or choose them for each task: toolBudgetSeam (V13).', changed),
  ),
  {
    id: 'A12',
    bad: { ...healthy, system: { schemaShare: 0.2 } },
    change: 'Choose them for each task: toolBudgetSeam (V13).',
    changed: { ...healthy, host: [...HOST, 'V13'], system: { schemaShare: 0.2 } },
  },
  ...(
    [
      { agents: healthy.agents, system: { evals: { suites: [{ cases: 'real' }] } } },
      { agents: { bot: loop(3, { provides: ['V7'] }) }, system: { evals: { suites: [{ cases: 'synthetic' }] } } },
    ] as const
  ).map((changed) => ({
    id: 'A13' as const,
    bad: { ...healthy, ...production, system: { evals: { suites: [{ cases: 'synthetic' }] } } } as Composition,
    change: 'Add real cases to the suites, or simulateScenarios (V18) or policyGuard (V7).',
    changed: { ...changed, ...production } as Composition,
  })),
  stated(
    'A14',
    { edges: [{ from: 'a', to: 'b' }] },
    'Say how far it is trusted, and check what passes: injectionShield (V6) or dualLlm (V4).',
    { edges: [{ from: 'a', to: 'b', trust: 'internal', guards: ['V6'] }] },
  ),
  {
    id: 'A14',
    bad: { ...healthy, system: { edges: [{ from: 'a', to: 'b', trust: 'internal' }] } },
    change: 'Audit the system as a whole: auditTrifecta (V3).',
    changed: { ...healthy, host: [...HOST, 'V3'], system: { edges: [{ from: 'a', to: 'b', trust: 'internal' }] } },
  },
  {
    id: 'A15',
    bad: { ...healthy, host: ['V9', 'V10', 'V12'] },
    change: 'Record every run: traceOf (V14).',
    changed: { ...healthy, host: HOST },
  },
  stated('A15', { sinks: 0 }, 'Add a sink for traces.', { sinks: 1 }),
  stated(
    'HA1',
    { segments: [{ name: 'identity', varies: 'never', text: 'I feel so lonely when you leave.' }] },
    'Take the feeling out of the text: say what it does.',
    { segments: [{ name: 'identity', varies: 'never', text: 'I am a careful librarian.' }] },
  ),
  about(
    'H10',
    'HA2',
    { relationship: { retention: true } },
    'Add a guard on what it says (guardrails (V5)), a limit of depth, consent, which a person can check (needsApproval (V1)), a way to erase all of it.',
    { relationship: HELD },
  ),
  composed(
    'HA3',
    use('H7', 'withStyle'),
    'Give it an identity that nothing else may write: withIdentity (H1).',
    stackOf(['H7', 'H1']),
  ),
  stated(
    'HA3',
    { identityFields: ['values', 'name'], styleFields: ['tone', 'values'] },
    'Take values out of what style may write.',
    { identityFields: ['values', 'name'], styleFields: ['tone'] },
    { agents: { bot: stackOf(['H7', 'H1']) } },
  ),
  composed('HA4', use('H5', 'constitution'), 'Have a person decide: needsApproval (V1).', stackOf(['H5', 'V1'])),
  ...(
    [
      [{ needsVerdict: false }, 'Merge nothing without a verdict.', { needsVerdict: true }],
      [{ signer: 'model' }, 'Have a person sign it.', { signer: 'person' }],
      [{ approvalRate: 1 }, 'Find out whether people read what they approve.', { approvalRate: 0.8 }],
    ] as const
  ).map(([bad, change, changed]) =>
    stated('HA4', { principles: bad }, change, { principles: changed }, { agents: { bot: stackOf(['H5', 'V1']) } }),
  ),
  about('H9', 'HA5', { trackRecord: {} }, 'Let entries fade.', { trackRecord: { decays: true } }),
  about('H9', 'HA5', { trackRecord: { decays: true, incomplete: 2 } }, 'Complete these entries, or remove them.', {
    trackRecord: { decays: true, incomplete: 0 },
  }),
  stated('IA1', { servers: [{ name: 'github' }] }, 'Count the tokens of its `tools/list`.', {
    servers: [{ name: 'github', tokens: 4_000 }],
  }),
  stated(
    'IA1',
    { servers: [{ name: 'github', tokens: 56_000 }] },
    'Take only the tools that are needed, at most 55000 tokens, or use a program in its place: shellTool (I4).',
    { servers: [] },
  ),
  stated('IA1', { servers: [{ name: 'github', tokens: 30_000 }] }, 'Take only the tools that are needed.', {
    servers: [{ name: 'github', tokens: 30_000, filtered: true }],
  }),
  stated(
    'IA1',
    { servers: ['a', 'b', 'c'].map((name) => ({ name, tokens: 21_000, filtered: true })) },
    'Take fewer tools of them, at most 60000 tokens together.',
    { servers: ['a', 'b'].map((name) => ({ name, tokens: 21_000, filtered: true })) },
  ),
  stated(
    'IA2',
    { tools: [{ name: 'sh', runs: 'shell-string' }] },
    'Use shellTool (I4): arguments as a list, programs that are allowed, and a sandbox.',
    { tools: [{ name: 'sh', runs: 'arguments', sandboxed: true, lists: 'allowed' }] },
  ),
  stated('IA2', { tools: [{ name: 'py', runs: 'code' }] }, 'Run it in a sandbox: sandboxed (V8).', {
    tools: [{ name: 'py', runs: 'code', sandboxed: true }],
  }),
  stated(
    'IA2',
    { tools: [{ name: 'sh', runs: 'arguments', sandboxed: true, lists: 'denied' }] },
    'List what is allowed.',
    {
      tools: [{ name: 'sh', runs: 'arguments', sandboxed: true, lists: 'allowed' }],
    },
  ),
  ...[loop(15), loop(20, { provides: ['I3'] })].map((changed) =>
    composed('IA3', loop(20), 'Show fewer than 16, or let them be discovered: openMcpPool (I3).', changed),
  ),
  stated('IA4', { delegates: [AT_A_PEER] }, 'Read and verify its card, and let that expire: agentCard (I5).', {
    delegates: [{ ...AT_A_PEER, card: 'verified', cardTtlMs: 1 }],
  }),
  stated(
    'IA5',
    { delegates: [{ name: 'peer' }] },
    'Give it a time limit, an idle limit, a way to cancel, a handler for its end, a cap on depth.',
    { delegates: [PEER] },
  ),
  {
    id: 'IA5',
    bad: { ...healthy, host: ['V9'], system: { delegates: [PEER] } },
    change: 'Give it a trace (traceOf (V14)).',
    changed: { ...healthy, host: ['V9', 'V14'], system: { delegates: [PEER] } },
  },
  composed(
    'CE1',
    use('S9', 'constitutional'),
    'Have code enforce the rules: policyGuard (V7).',
    stackOf(['S9', 'V7']),
    critical,
  ),
  stated(
    'CE2',
    { actions: { refund: { gate: 'V2', irreversible: true } } },
    'Have a person approve it: needsApproval (V1).',
    { actions: { refund: { gate: 'V1', irreversible: true } } },
  ),
  stated('CE2', { actions: { mail: {} } }, 'Have it approved (needsApproval (V1)) or watched (supervised (V2)).', {
    actions: { mail: { gate: 'V2' } },
  }),
  {
    id: 'CE3',
    bad: { agents: { bot: use('R5', 'rewoo') }, system: { decidingEdges: ['E2'] } },
    change: 'Let each call see what came before: reAct (R4) in its place.',
    changed: { ...healthy, system: { decidingEdges: ['E2'] } },
  },
  about(
    'O6',
    'CE4',
    { agents: { p: { role: 'planner', policy: '1' }, w: { role: 'worker', policy: '1' } } },
    'Give each role a policy of its own: policyGuard (V7).',
    { agents: { p: { role: 'planner', policy: '1' }, w: { role: 'worker', policy: '2' } } },
  ),
  stated(
    'CE5',
    { agents: { w: { readsParentHistory: true } } },
    'Give it its brief and nothing else: isolated (O17).',
    {
      agents: { w: { readsParentHistory: false } },
    },
  ),
  about(
    'H8',
    'CE6',
    { selfTuning: { surface: true } },
    'Add a suite as a gate (runSuite (V16)), a reviewer (needsApproval (V1)), a way back (checkpointOf (V10)), caps (withBudget (V9)).',
    { selfTuning: TUNED },
  ),
  about('H8', 'CE6', { selfTuning: { ...TUNED, proposerReadsCases: true } }, 'Keep the cases out of its reach.', {
    selfTuning: TUNED,
  }),
  about('H8', 'CE6', { selfTuning: { ...TUNED, sharesData: true } }, 'Give each its own data and judge.', {
    selfTuning: TUNED,
  }),
  stated(
    'CE7',
    {
      segments: [
        { name: 'user', varies: 'user' },
        { name: 'rules', varies: 'never' },
      ],
    },
    'Put it behind everything that is shared.',
    {
      segments: [
        { name: 'rules', varies: 'never' },
        { name: 'user', varies: 'user' },
      ],
    },
  ),
  stated(
    'CE7',
    { segments: [{ name: 'rules', varies: 'never', holdsTimeOrId: true }] },
    'Put what differs by time or call into the task, and what is stable first.',
    {
      segments: [
        { name: 'rules', varies: 'never' },
        { name: 'now', varies: 'call' },
      ],
    },
  ),
  stated(
    'CE8',
    { segments: [{ name: 'manual', varies: 'never', everyTurn: true, cached: false }] },
    'Cache it, or read it when it is needed.',
    { segments: [{ name: 'manual', varies: 'never', everyTurn: true, cached: true }] },
  ),
  stated('CE9', { segments: [{ name: 'menu', varies: 'call', decided: true }] }, 'Drop it once the decision is made.', {
    segments: [],
  }),
];
