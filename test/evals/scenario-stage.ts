import {
  configurationHash,
  listeningUser,
  type RuleScript,
  type Scenario,
  type ScenarioSuite,
  type SimulationOptions,
  type SimWorld,
  simulatedWorld,
  speakerAgent,
  TRAJECTORY_RUBRIC,
} from '@flyball/evals';
import { type Engine, type ModelRequest, memoryEngine } from 'flyball';
import { baseline } from 'flyball/agents';
import { autoClock, scriptedModel, testHost } from 'flyball/testing';
import { onTestFinished } from 'vitest';
import { PyError } from '../../packages/evals/src/tau2/python/value.js';
import { baseline as baselinePolicy } from '../../packages/flyball/src/agents/policies/baseline.js';

/** A shop's service desk: somebody wants money back for an order. */

export const ADDRESS = '4 Quince Street, Leeds';
const PAGE = { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] } as const;

interface Shop {
  readonly orders: Record<string, { owner: string; address: string; refunded: boolean }>;
}

const SHOP: SimWorld<Shop> = {
  name: 'shop',
  version: '1',
  policy: 'Give money back once an order is found. Never tell an address.',
  state: () => ({ orders: { '77': { owner: 'Ada', address: ADDRESS, refunded: false } } }),
  tools: [
    {
      name: 'get_order',
      description: 'Shows an order.',
      parameters: PAGE,
      run: ({ orders }, { order }) => orders[String(order)] ?? refuse(`There is no order ${String(order)}.`),
    },
    {
      name: 'refund_order',
      description: 'Gives the money back.',
      parameters: PAGE,
      changes: true,
      run: ({ orders }, { order }) => {
        const found = orders[String(order)] ?? refuse(`There is no order ${String(order)}.`);
        if (found.refunded) refuse('It has been given back already.');
        found.refunded = true;
        return `Order ${String(order)} is refunded.`;
      },
    },
  ],
};

export const shop = simulatedWorld(SHOP);
/** The same shop under another policy. */
export const shopUnder = (policy: string) => simulatedWorld({ ...SHOP, policy });

function refuse(why: string): never {
  throw new PyError('ValueError', why);
}

export const user: RuleScript = {
  opening: 'I want my money back for order 77.',
  rules: [
    { id: 'again', hears: 'try again later', say: 'Please try now.', times: 3 },
    { id: 'done', hears: 'refunded|cannot', say: 'Thank you. ###STOP###' },
  ],
  otherwise: 'Go on.',
};

export const happy: Scenario = {
  id: 'happy',
  goal: 'You want your money back for order 77.',
  persona: { name: 'Ada', patience: 'medium' },
  category: 'happy',
  expected: {
    outcome: 'The order is looked up and refunded exactly once, and the customer is told.',
    calls: [{ name: 'refund_order', with: { order: '77' } }],
    says: ['refunded'],
    neverSays: [ADDRESS],
  },
  maxTurns: 6,
};

export const down: Scenario = {
  ...happy,
  id: 'order-service-down',
  category: 'failure-injection',
  faults: [{ id: 'down', tool: 'get_order', kind: '5xx', onCall: 1 }],
};

export function suiteOf(...scenarios: readonly Scenario[]): ScenarioSuite {
  return { name: 'refunds', version: '1', owner: 'desk team', repetitions: 1, scenarios };
}

type Move = string | readonly [name: string, order?: string];

/** An agent that makes these moves, told apart by what it has said and called so far. */
export function agentModel(
  moves: readonly Move[] | ((request: ModelRequest) => Move),
  stuck?: { readonly hangAt: number; readonly gate: Promise<void> },
) {
  return scriptedModel({
    agent: async (request: ModelRequest, n: number) => {
      if (n === stuck?.hangAt) await stuck.gate;
      const made = request.messages.filter(({ role }) => role === 'assistant').length - 1; // the greeting is not its own
      const move = typeof moves === 'function' ? moves(request) : (moves[Math.max(0, made)] ?? 'I cannot help.');
      if (typeof move === 'string') return move;
      const [name, order = '77'] = move;
      return { toolCalls: [{ id: `c${made}`, name, arguments: JSON.stringify({ order }) }] };
    },
  });
}

export const GOOD: readonly Move[] = [['get_order'], ['refund_order'], 'It is refunded.'];
/** Looks an order up as often as it takes. */
export function patient({ messages }: ModelRequest): Move {
  const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
  if (results.some((text) => text.includes('is refunded'))) return 'It is refunded.';
  if (results.some((text) => text.includes('"owner"') || text.includes('owner'))) return ['refund_order'];
  return ['get_order'];
}

export interface JudgeAnswer {
  readonly score?: number;
  readonly violations?: readonly object[];
}

export function judgeModel(answer: (prompt: string) => JudgeAnswer = () => ({}), id = 'scripted/judge') {
  return scriptedModel(
    {
      judge: (request: ModelRequest) => {
        const { score = 1, violations = [] } = answer(request.messages.map(({ content }) => content).join('\n'));
        const dimensions = TRAJECTORY_RUBRIC.dimensions.map(({ name }) => [name, { reasoning: 'Looked.', score }]);
        return JSON.stringify({ violations, dimensions: Object.fromEntries(dimensions) });
      },
    },
    { id },
  );
}

export function options(
  model: ReturnType<typeof agentModel>,
  more: Partial<SimulationOptions> = {},
  engine: Engine = memoryEngine(),
): SimulationOptions {
  const clock = autoClock({ idleTurns: 40 });
  onTestFinished(() => clock.stop());
  const suite = more.suite ?? suiteOf(happy, down);
  const scripts = Object.fromEntries(suite.scenarios.map(({ id }) => [id, user]));
  return {
    suite,
    agent: speakerAgent(baseline, { model }),
    production: productionOf(model),
    user: listeningUser(scripts),
    world: shop,
    judge: { session: { name: 'judge', model: judgeModel(), setup: 'You judge.' }, rubric: TRAJECTORY_RUBRIC },
    seed: 7,
    concurrency: 2,
    runtime: { engine, clock, host: testHost(`life-${Math.random()}`, new Set()) },
    ...more,
  };
}

/** As whoever deploys the agent would compute it. */
export function productionOf(model: ReturnType<typeof agentModel>): string {
  const { agent, policy } = shop.open('', 0);
  const tools = agent.schemas.map(({ name, description, parameters }) => ({
    name,
    description,
    inputJsonSchema: parameters,
  }));
  const speaker = baselinePolicy({ model, policy, tools: [] });
  return configurationHash({ policy: speaker.policy, setup: speaker.setup, model: model.id, tools });
}
