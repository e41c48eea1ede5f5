import { budget, type Model, type ModelRequest, type Outcome, type Run } from 'flyball';
import { type PlanResult, toolAwarePlan } from 'flyball/loops';
import { type ScriptedModel, scriptedModel } from 'flyball/testing';
import { type DefinedTool, tool } from 'flyball/tools';
import type { ReplyParts } from '../../packages/flyball/src/testing/script.js';
import type { Answer } from '../crash/carry-on.js';
import { type Doomed, type Lives, throughLives } from '../crash/lives.js';
import { answerOf, StableWorld } from '../crash/mixed-agent.js';
import { proposes } from '../loops/stage-loop.js';
import { planText, thinking, toolStep } from './stage-plan.js';

/** What outlives the processes: the world, the provider of the model, and what both were asked for. */
export class PlanWorld extends StableWorld {
  readonly asked = new Map<string, number>();
  readonly ran = new Map<string, number>();
  readonly scripted: ScriptedModel;

  constructor(ending: 'completes' | 'fails') {
    super();
    this.scripted = scriptedModel({
      planner: () => FIRST,
      replanner: (request) => (ending === 'fails' ? stillBroken(request) : SECOND),
      worker: (request) => working(request),
      'worker-observer': () => JSON.stringify({ holds: true, because: 'the result says so' }),
    });
  }

  get model(): Model {
    const generate: Model['generate'] = (request, how) => {
      this.asked.set(how.key, (this.asked.get(how.key) ?? 0) + 1);
      return this.scripted.generate(request, how);
    };
    return { ...this.scripted, generate };
  }

  async perform(name: string, key: string, dedupe: boolean): Promise<string> {
    if (!this.isDead()) this.ran.set(key, (this.ran.get(key) ?? 0) + 1);
    return this.act(name, key, dedupe);
  }
}

const common = [
  toolStep('look', 'look'),
  toolStep('save', 'save', { reversibility: 'idempotent', compensation: { tool: 'unsave', args: {} } }),
  thinking('praise', { dependsOn: ['look'] }),
  thinking('scold', { dependsOn: ['look'] }),
];
const closing = thinking('sum', { dependsOn: ['book', 'praise'], bindings: { booked: { from: 'book' } } });
const branches = [{ at: 'look', observation: 'it looks good', ifSo: ['praise'], ifNot: ['scold'] }];
const booking = (description: string, name: string) =>
  toolStep('book', name, { description, dependsOn: ['look', 'save'] });
const planWith = (book: ReturnType<typeof booking>) =>
  planText([...common, book, closing], { shape: 'conditional', branches });

/** Side by side, a branch, a strict step that has to be made to call, a failing step, and another plan. */
const FIRST = planWith(booking('Do book with nope.', 'nope'));
const SECOND = planWith(booking('Do book.', 'book'));

function stillBroken({ messages }: ModelRequest): string {
  const so =
    messages
      .map(({ content }) => content)
      .join('')
      .match(/try \d/g)?.length ?? 0;
  return planWith(booking(`Do book with nope, try ${so + 1}.`, 'nope'));
}

/** Answers depend on the request alone: which of several steps asks first may differ from life to life. */
function working({ messages }: ModelRequest): string | ReplyParts {
  const task = messages.find(({ content }) => content.includes('You carry out one step'))?.content ?? '';
  const step = /The step: (?:Do|Think about) (\w+)/.exec(task)?.[1] ?? '?';
  const hasCalled = messages.some(({ role }) => role === 'tool');
  const isEnforced = messages.at(-1)?.content.includes('The step is not done') === true;
  if (step === 'look' && !hasCalled) return proposes('look');
  if (step === 'save' && isEnforced) return proposes('save'); // at first it only describes the call
  if (step === 'book' && !hasCalled) return proposes(task.includes('nope') ? 'nope' : 'book');
  return `${step} is over.`;
}

function toolsOf(world: PlanWorld): readonly DefinedTool[] {
  const rest = { timeoutMs: 1000, description: 'Does one thing. Not for anything else.', retry: { retries: 0 } };
  const verify = async (_args: unknown, { key }: { readonly key: string }) =>
    world.made.has(key) ? ({ happened: 'yes', result: answerOf('book') } as const) : ({ happened: 'no' } as const);
  const plain = (name: string, effect: 'pure' | 'idempotent') =>
    tool({ ...rest, name, effect, execute: (_args, { key }) => world.perform(name, key, true) });
  return [
    plain('look', 'pure'),
    plain('save', 'idempotent'),
    plain('unsave', 'idempotent'),
    tool({
      ...rest,
      name: 'nope',
      effect: 'pure',
      execute: async (): Promise<string> => {
        throw new Error('it never works');
      },
    }),
    tool({
      ...rest,
      name: 'book',
      effect: 'undoable',
      execute: (_args, { key }) => world.perform('book', key, false),
      verify,
      compensate: (_args, _result, { key }) => world.undo(key),
    }),
  ] as unknown as readonly DefinedTool[];
}

export interface PlanLives extends Omit<Lives, 'outcome'> {
  readonly world: PlanWorld;
  readonly outcome: Outcome<PlanResult>;
}

/** Takes one plan to its end, in as many lives as it takes. */
export async function livePlan(
  ending: 'completes' | 'fails',
  lifeOf: (life: number) => Doomed,
  runId = 'run',
): Promise<PlanLives> {
  const world = new PlanWorld(ending);
  const limits = budget({ wallMs: 1e12, iterations: 100 });
  const lived = await throughLives({
    journey: {
      runId,
      start: (runtime) => runtime.start('planned', 'Get it done.', { id: runId, budget: limits }),
      answer: ({ effect }): Answer => ({ id: `answer to ${effect}`, payload: { verdict: 'approve' } }),
    },
    agents: { planned: agentFor(world) },
    world,
    lifeOf,
  });
  return { ...lived, world, outcome: lived.outcome as Outcome<PlanResult> };
}

function agentFor(world: PlanWorld) {
  const tools = toolsOf(world);
  const session = { name: 'worker', model: world.model, setup: 'You work with tools.' };
  const agent = toolAwarePlan({
    planner: { session: { name: 'planner', model: world.model }, tools },
    execution: {
      worker: { session, tools },
      replanner: { session: { name: 'replanner', model: world.model }, tools },
      maxReprompts: 1,
      maxReplans: 2,
      width: 3,
    },
  });
  return (run: Run, input: unknown) => agent(run, String(input));
}
