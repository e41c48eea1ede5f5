import { type AnyAgent, type Budget, createRuntime, done, type ModelRequest, memoryStore, type Waiting } from 'flyball';
import { conversation, defineAgent, workflow } from 'flyball/agents';
import { commitLoop, toolAwarePlan } from 'flyball/loops';
import { requestApproval } from 'flyball/people';
import { type Outside, type Scenario, scriptedModel } from 'flyball/testing';
import type { PersonAnswer } from '../../packages/flyball/src/testing/scenarios/scenario.js';
import { Kit } from './features.js';

/** Every kind of agent that the package makes, over a model that answers by the request alone. */
const approve: PersonAnswer = { payload: { verdict: 'approve' } };

const ROOMY: Partial<Budget> = { iterations: 400, modelCalls: 400, toolCalls: 400, costUsd: 1_000, noProgress: 100 };

interface Made {
  readonly agent: unknown;
}

function scenario(
  name: string,
  make: (kit: Kit) => Made,
  more: Partial<Scenario> & { readonly people?: (waiting: Waiting) => PersonAnswer | undefined } = {},
): Scenario {
  return {
    name,
    input: null,
    budget: ROOMY,
    people: ({ kind }) => (kind === 'approval' ? approve : undefined),
    heedsInstructions: true, // shipped agents show instructions to their model
    open: (life, outside: Outside) =>
      createRuntime({ ...life, agents: { agent: make(new Kit(outside, life.clock)).agent as AnyAgent } }),
    ...more,
  };
}

const call = (id: string, name: string, args: object = {}) => ({ id, name, arguments: JSON.stringify(args) });
const said = ({ messages }: ModelRequest): string => messages.map(({ content }) => content).join('\n');
const answered = ({ messages }: ModelRequest): number => messages.filter(({ role }) => role === 'tool').length;
const judged = JSON.stringify({
  dimensions: Object.fromEntries(
    ['correctness', 'completeness', 'coherence', 'safety'].map((name) => [name, { reasoning: 'Fine.', score: 1 }]),
  ),
  missing: [],
  gaps: [],
});

const model = () =>
  scriptedModel({
    clerk: () => '{"answer":"42"}',
    desk: (request) =>
      answered(request) === 0 ? { toolCalls: [call('a', 'look'), call('b', 'wire')] } : '{"answer":"paid"}',
    talker: (request) => (answered(request) === 0 ? { toolCalls: [call('a', 'send')] } : 'It is sent.'),
    finder: () => '{"facts":"many"}',
    writer: () => '{"letter":"Dear Ann"}',
    planner: () =>
      JSON.stringify({
        goal: 'book it',
        steps: [
          { id: 'look', description: 'Look around.', stepType: 'tool', requiredTools: ['look'] },
          { id: 'send', description: 'Send word.', stepType: 'tool', requiredTools: ['send'], dependsOn: ['look'] },
        ],
      }),
    worker: (request) => {
      if (request.messages.at(-1)?.role === 'tool') return 'The step is over.';
      return { toolCalls: [call('w', said(request).includes('The step: Send word.') ? 'send' : 'look')] };
    },
    'commit-planner': () => JSON.stringify({ goal: 'g', steps: [{ id: 'a', description: 'Write the answer.' }] }),
    'commit-worker': () => 'The answer is 42.',
    judge: () => judged,
    critic: () => JSON.stringify({ defects: [] }),
    repairer: () => 'The answer is 42, repaired.',
  });

export const shipped: readonly Scenario[] = [
  scenario('an agent of one reply', () => ({
    agent: defineAgent({
      name: 'clerk',
      description: 'You answer.',
      model: model(),
      outputs: { answer: {} },
    }),
  })),
  scenario('an agent with tools and an approval', (kit) => ({
    agent: defineAgent({
      name: 'desk',
      description: 'You help.',
      model: model(),
      outputs: { answer: {} },
      tools: [kit.pure('look'), kit.irreversible('wire')],
      loop: { doubleConfirmation: false },
    }),
  })),
  scenario(
    'a conversation of two turns',
    (kit) => ({
      agent: conversation(
        defineAgent({
          name: 'talker',
          description: 'You help.',
          model: model(),
          tools: [kit.idempotent('send')],
          loop: { doubleConfirmation: false },
        }),
      ),
    }),
    {
      input: 'Please send it.',
      people: ({ kind, name, effect }) =>
        kind === 'signal' && name === 'message'
          ? { payload: effect.includes('#0') || effect.includes('0') ? { text: 'And again.' } : { end: true } }
          : undefined,
    },
  ),
  scenario(
    'a plan that needs its tools',
    (kit) => {
      const tools = [kit.pure('look'), kit.idempotent('send')];
      const made = model();
      return {
        agent: toolAwarePlan({
          planner: { session: { name: 'planner', model: made }, tools },
          execution: { worker: { session: { name: 'worker', model: made, setup: 'You work.' }, tools } },
        }),
      };
    },
    { input: 'Book it.' },
  ),
  scenario('a commit loop', (kit) => {
    const made = model();
    const role = (name: string) => ({ name, model: made, setup: `You are the ${name}.` });
    const loop = commitLoop({
      name: 'writer',
      planner: { session: role('commit-planner'), tools: [] },
      execution: { worker: { session: role('commit-worker'), tools: [] } },
      verification: { judge: { session: role('judge') } },
      critic: { session: role('critic') },
      repair: { session: role('repairer') },
      exit: { novelty: 1 },
      store: kit.outside.keep('store', () => memoryStore()),
    });
    const task = { id: 't', goal: 'Answer.', requirements: ['is right'], taskClass: 'c' };
    return {
      agent: async (run: Parameters<typeof loop>[0]) => {
        const outcome = await loop(run, task);
        return outcome.stop === 'done' ? done(outcome.value.outputs) : outcome;
      },
    };
  }),
  scenario('a workflow of two agents', () => {
    const made = model();
    const finder = defineAgent({ name: 'finder', description: 'You find.', outputs: { facts: {} }, model: made });
    const writer = defineAgent({ name: 'writer', description: 'You write.', outputs: { letter: {} }, model: made });
    return {
      agent: workflow(
        { name: 'reply', description: 'Replies.', agents: { finder, writer } },
        async (run, _input, { invokeAgent }) => {
          const found = await invokeAgent(run, 'finder', {});
          if (found.stop !== 'done') return found;
          return invokeAgent(run, 'writer', {});
        },
      ),
    };
  }),
  scenario('an output that people approve', (kit) => ({
    agent: async (run: Parameters<AnyAgent>[0]) => {
      const decided = await requestApproval(run, { action: 'publish', output: 'a text' }, {}, 'publish');
      if (decided.verdict !== 'approved') return done('not published');
      return done((await run.call(kit.idempotent('publish'), {})).content);
    },
  })),
];
