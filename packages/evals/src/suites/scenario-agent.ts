import type { Agent, Run } from 'flyball';
import { ConfigError, done } from 'flyball';
import type { ExperimentOptions } from '../experiment/experiment.js';
import { finishedText } from '../experiment/finished-course.js';
import { JournaledWorld } from '../experiment/journaled-world.js';
import type { SimulationInput } from '../experiment/simulation-agent.js';
import { trajectoryOf } from '../judging/trajectory.js';
import type { TrajectoryJudge } from '../judging/trajectory-judge.js';
import { costOf } from '../simulation/cost.js';
import { isResults } from '../simulation/message-shape.js';
import { Conversation } from '../simulation/orchestrator.js';
import type { Course, Party } from '../simulation/party.js';
import type { UserSim } from '../users/user-sims.js';
import { userView } from '../users/user-view.js';
import type { Environment } from '../world/environment.js';
import type { SimCall, ToolMessage } from '../world/message.js';
import { faultSeams, spoiltBy } from './fault.js';
import type { Scenario } from './scenario.js';
import type { AgentUnderTest, WorldSim } from './under-test.js';

export interface ScenarioParts {
  readonly scenarios: readonly Scenario[];
  readonly agent: AgentUnderTest;
  /** Of the agent that is in production. */
  readonly production: string;
  readonly user: UserSim;
  readonly world: WorldSim;
  readonly judge: TrajectoryJudge;
  readonly maxErrors: number;
  readonly runtime: Pick<ExperimentOptions['runtime'], 'onProblem'>;
}

/** One scenario as an agent of its own: user, agent, world and judge work through one journal, each in its scope. */
export function scenarioAgent(parts: ScenarioParts): Agent<SimulationInput, string> {
  return async (run, { task, seed }) => {
    const scenario = parts.scenarios.find(({ id }) => id === task);
    if (scenario === undefined) throw new ConfigError(`The suite has no scenario ${task}.`);
    const startedAt = Math.floor(run.now()); // a virtual clock may stand between two milliseconds
    const environment = parts.world.open(scenario.id, seed);
    const world = new JournaledWorld(environment, null);
    await run.step('set up the world', task, () => world.begin().then(() => null), 'pure');
    const course = await converse(run, { parts, scenario, environment, world, seed }).finally(() =>
      world.close(parts.runtime.onProblem),
    );
    const { goal, expected } = scenario;
    const subject = { goal, expected: expected.outcome, trajectory: trajectoryOf(course) };
    const verdict = await parts.judge(run.scope('judge'), subject);
    const endedAt = Math.floor(run.now());
    return done(finishedText({ course, judged: null, info: { verdict }, startedAt, endedAt }));
  };
}

interface Scene {
  readonly parts: ScenarioParts;
  readonly scenario: Scenario;
  readonly environment: Environment;
  readonly world: JournaledWorld;
  readonly seed: number;
}

async function converse(run: Run, scene: Scene): Promise<Course> {
  const { parts, scenario, environment, world, seed } = scene;
  const scopes = { assistant: run.scope('agent'), user: run.scope('user') };
  const agent = parts.agent.make({
    run: scopes.assistant,
    tools: world.offered('assistant'),
    policy: environment.policy,
    seed,
  });
  checkConfiguration(agent.configuration, parts.production);
  const user = parts.user.make({ run: scopes.user, view: userView(scenario), tools: world.offered('user'), seed });
  const course = await withinTurns(scenario.maxTurns, user, (limited) => ({
    agent: agent.party,
    user: limited,
    respond: faultyWorld({ ...scopes, assistant: agent.run ?? scopes.assistant }, world, scenario),
    now: () => run.now(),
    limits: { maxSteps: scenario.maxTurns * MOVES_PER_TURN, maxErrors: parts.maxErrors },
  }));
  return world.refused.length === 0 ? course : { ...course, refused: world.refused };
}

/** A turn holds many moves: every call and every result is one. */
const MOVES_PER_TURN = 40;

/** Calls are counted in the conversation itself, so a run that goes on after a crash counts the same. */
function faultyWorld(
  scopes: Readonly<Record<SimCall['requestor'], Run>>,
  world: JournaledWorld,
  { faults = [] }: Scenario,
) {
  const counts = new Map<string, number>();
  return async (call: SimCall): Promise<ToolMessage> => {
    const nth = (counts.get(call.name) ?? 0) + 1;
    counts.set(call.name, nth);
    const fault = faults.find(({ tool, onCall }) => tool === call.name && onCall === nth);
    const run = scopes[call.requestor];
    if (fault === undefined) return world.respond(run, call);
    const message = await world.respond(run.guarded(faultSeams(fault)), call);
    return { ...message, content: spoiltBy(fault, message.content) };
  };
}

class OutOfTurns extends Error {}

/** A conversation that does not come to an end is ended, and scored as it stands. */
async function withinTurns(
  maxTurns: number,
  user: Party,
  parts: (limited: Party) => ConstructorParameters<typeof Conversation>[0],
): Promise<Course> {
  let turns = 0;
  const limited: Party = {
    open: (history) => user.open(history),
    stops: (message) => user.stops(message),
    take: (incoming) => {
      if (!isResults(incoming) && ++turns > maxTurns) throw new OutOfTurns();
      return user.take(incoming);
    },
  };
  const conversation = new Conversation(parts(limited));
  try {
    return await conversation.run();
  } catch (error) {
    if (!(error instanceof OutOfTurns)) throw error;
    const { messages, steps, errors } = conversation;
    const [agentCost, userCost] = [costOf(messages, 'assistant'), costOf(messages, 'user')];
    return { messages, termination: 'max_steps', steps, errors, agentCost, userCost };
  }
}

function checkConfiguration(simulated: string, production: string): void {
  if (simulated !== production)
    throw new ConfigError(
      `The simulated agent (${simulated.slice(0, 8)}) is not the one in production (${production.slice(0, 8)}): model, prompt, policy or tools differ. Simulate what is deployed.`,
    );
}
