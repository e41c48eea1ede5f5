import type { RunHandle } from 'flyball';
import { DEFAULT_CONFIG } from 'flyball/internal';
import type { ToolLoopSettings } from 'flyball/loops';
import { startRun } from '../agents/admission.js';
import type { Variation } from '../agents/run-agents.js';
import type { ServedAgent } from '../agents/served-agent.js';
import { exampleFor } from '../contract/example-for.js';
import {
  type InvokeIterativeRequest,
  type InvokeRequest,
  invokedIterativeSchema,
  invokedSchema,
  invokeIterativeSchema,
  invokeSchema,
} from '../contract/invocations.js';
import { type Answer, type Example, type Route, route, type ServerRequest } from '../contract/route.js';
import type { Parts } from '../parts.js';
import { Problem } from '../problem.js';
import { agentNamed, agentParams } from './agents.js';
import { type Invocation, invocationAnswer } from './invocation-answer.js';
import { untilRest } from './until-rest.js';

const ENDS = {
  202: 'It continues: it waits for somebody, or takes longer than the server timeout. Follow the run.',
  422: 'It ended without an answer: bounded, blocked, cancelled or failed. `because` says why.',
} as const;

/** An agent called like a function: the answer comes with the response, if the run gets there in time. */
export function invokeRoutes(parts: Parts): readonly Route[] {
  return [
    route({
      id: 'invokeAgent',
      method: 'post',
      path: '/v1/agents/{name}/invoke',
      tag: 'agents',
      summary: 'Invoke an agent with one model call and no tools',
      scope: 'agents:invoke',
      params: agentParams,
      body: invokeSchema,
      answers: {
        200: { about: 'Its answer', schema: invokedSchema },
        202: { about: ENDS[202], schema: invokedSchema },
        422: { about: ENDS[422], schema: invokedSchema },
      },
      examples: examplesOf(parts, 'once'),
      handle: (request) => invoke(parts, request, 'once', {}),
    }),
    route({
      id: 'invokeAgentIterative',
      method: 'post',
      path: '/v1/agents/{name}/invoke-iterative',
      tag: 'agents',
      summary: 'Invoke an agent with its tool loop',
      scope: 'agents:invoke',
      params: agentParams,
      body: invokeIterativeSchema,
      answers: {
        200: { about: 'Its answer, and how the loop ended', schema: invokedIterativeSchema },
        202: { about: ENDS[202], schema: invokedIterativeSchema },
        422: { about: ENDS[422], schema: invokedIterativeSchema },
      },
      examples: examplesOf(parts, 'iterative'),
      handle: (request) => {
        const loop = loopOf(agentNamed(parts.directory, request.params.name), request.body);
        return invoke(parts, request, 'iterative', loop);
      },
    }),
  ];
}

type As = Invocation['as'];
type Request = ServerRequest<{ readonly name: string }, unknown, InvokeRequest>;

async function invoke(parts: Parts, request: Request, as: As, loop: ToolLoopSettings): Promise<Answer> {
  const { handle, invocation } = await startInvocation(parts, request, as, loop);
  const within = { clock: parts.clock, ms: parts.settings.requestTimeoutMs, signal: request.signal };
  return invocationAnswer(parts, invocation, await untilRest(handle, within));
}

interface StartedInvocation {
  readonly handle: RunHandle;
  readonly invocation: Invocation;
}

/** Starts the run of an invocation; everything that is wrong with the request is refused before. */
export async function startInvocation(
  parts: Parts,
  request: Request,
  as: As,
  loop: ToolLoopSettings,
): Promise<StartedInvocation> {
  const agent = agentNamed(parts.directory, request.params.name);
  const { inputs, model, temperature, budget } = request.body;
  const mode = agent.modes.includes(as) ? as : 'iterative';
  if (model !== undefined) requireModel(agent, model);
  const own = model !== undefined || temperature !== undefined || Object.keys(loop).length > 0;
  if (own && agent.defined === undefined)
    throw new Problem(400, 'INPUT_INVALID', `${agent.name} is a function: it has no model or loop settings.`, {
      next: 'Send only inputs and budget.',
    });
  const variation: Variation = {
    inputs,
    mode,
    ...(model === undefined ? {} : { model }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(Object.keys(loop).length === 0 ? {} : { loop }),
  };
  const handle = await startRun(parts, request, {
    agent,
    ...(own ? { mode: 'varied', input: variation, agentInput: inputs } : { mode, input: inputs }),
    ...(budget === undefined ? {} : { budget }),
  });
  return { handle, invocation: { agent, as, runId: handle.id, model, principal: request.principal } };
}

function requireModel({ name, model, group }: ServedAgent, asked: string): void {
  const known = [...new Set([...(model === undefined ? [] : [model]), ...Object.keys(group.models ?? {})])];
  if (known.includes(asked)) return;
  throw new Problem(400, 'INPUT_INVALID', `${name} cannot use that model here.`, {
    next: known.length === 0 ? 'Omit the model.' : `Choose one of ${known.join(', ')}, or omit it.`,
  });
}

/** What a request says about the loop, under the names of the loop; none of it may lengthen the leash. */
export function loopOf(agent: ServedAgent, body: InvokeIterativeRequest): ToolLoopSettings {
  const own = { ...DEFAULT_CONFIG, ...agent.defined?.spec.loop };
  const asked = [
    ['maxIterations', 'max_iterations'],
    ['maxToolCallsPerIteration', 'max_tool_calls_per_iteration'],
    ['maxConsecutiveErrors', 'error_threshold'],
    ['repeatLimit', 'loop_detection_threshold'],
  ] as const;
  const settings: Record<string, unknown> = {};
  for (const [name, field] of asked) {
    const value = body[field];
    if (value === undefined) continue;
    const most = own[name] === 'off' ? Number.POSITIVE_INFINITY : own[name];
    if (value > most)
      throw new Problem(
        400,
        'INPUT_INVALID',
        `A request can lower ${field} but not raise it: ${agent.name} allows ${own[name]}.`,
        {
          next: `Set it to at most ${own[name]}, or omit it.`,
        },
      );
    settings[name] = value;
  }
  if (body.enable_double_confirmation !== undefined) settings['doubleConfirmation'] = body.enable_double_confirmation;
  return settings as ToolLoopSettings;
}

export function examplesOf({ directory }: Parts, as: 'once' | 'iterative'): readonly Example[] {
  const agent = directory.list().find(({ defined, modes }) => defined !== undefined && modes.includes(as));
  const missing: Example = {
    title: 'An unknown agent',
    params: { name: 'nobody' },
    body: { inputs: {} },
    status: 404,
  };
  if (agent === undefined) return [missing];
  const body = { inputs: exampleFor(agent.inputs), ...(as === 'iterative' ? { max_iterations: 1 } : {}) };
  return [
    {
      title: 'With a lower limit, which ends it',
      params: { name: agent.name },
      body: { ...body, budget: { modelCalls: 0 } },
      status: 422,
    },
    missing,
    {
      title: 'Limits that would be raised',
      params: { name: agent.name },
      body: { ...body, budget: { costUsd: 1e9 } },
      status: 400,
    },
  ];
}
