import type { Entry } from '../../core/events.js';
import type { Outcome } from '../../core/outcome.js';
import { DEFAULT_CONFIG, type ToolLoopSettings } from '../../loops/tool-loop/config.js';
import { requestsIn } from '../../people/requests.js';
import type { Principal } from '../access/principal.js';
import { startRun } from '../agents/admission.js';
import type { Variation } from '../agents/run-agents.js';
import type { ServedAgent } from '../agents/served-agent.js';
import { exampleFor } from '../contract/example-for.js';
import {
  type Invoked,
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
import { becauseOf, failureWords } from './failure-words.js';
import { untilRest } from './until-rest.js';

const ENDS = {
  202: 'It goes on: it waits for somebody, or takes longer than the server waits. Follow the run.',
  422: 'It ended without an answer: bounded, blocked, cancelled or failed; `because` says why.',
} as const;

/** An agent called like a function: the answer comes with the response, if the run gets there in time. */
export function invokeRoutes(parts: Parts): readonly Route[] {
  return [
    route({
      id: 'invokeAgent',
      method: 'post',
      path: '/v1/agents/{name}/invoke',
      tag: 'agents',
      summary: 'Invoke an agent as a single shot: one model call, no tools',
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
        200: { about: 'Its answer, and how the loop went', schema: invokedIterativeSchema },
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

type Request = ServerRequest<{ readonly name: string }, unknown, InvokeRequest>;

async function invoke(
  parts: Parts,
  request: Request,
  as: 'once' | 'iterative',
  loop: ToolLoopSettings,
): Promise<Answer> {
  const agent = agentNamed(parts.directory, request.params.name);
  const { inputs, model, temperature, budget } = request.body;
  const mode = agent.modes.includes(as) ? as : 'iterative';
  if (model !== undefined) requireModel(agent, model);
  const own = model !== undefined || temperature !== undefined || Object.keys(loop).length > 0;
  if (own && agent.defined === undefined)
    throw new Problem(400, 'REQUEST_INVALID', `${agent.name} is plain code: it has no model and no loop to set.`, {
      next: 'Send inputs and budget only.',
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
  const within = { clock: parts.clock, ms: parts.settings.requestTimeoutMs, signal: request.signal };
  const outcome = await untilRest(handle, within);
  return answered(parts, { agent, as, runId: handle.id, model, principal: request.principal }, outcome);
}

function requireModel({ name, model, group }: ServedAgent, asked: string): void {
  const known = [...new Set([...(model === undefined ? [] : [model]), ...Object.keys(group.models ?? {})])];
  if (known.includes(asked)) return;
  throw new Problem(400, 'REQUEST_INVALID', `${name} cannot be run on that model here.`, {
    next: known.length === 0 ? 'Leave the model out.' : `Choose one of ${known.join(', ')}, or leave it out.`,
  });
}

/** What a request says about the loop, under the names of the loop; none of it may lengthen the leash. */
function loopOf(agent: ServedAgent, body: InvokeIterativeRequest): ToolLoopSettings {
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
        'REQUEST_INVALID',
        `A request may lower ${field} and not raise it: ${agent.name} allows ${own[name]}.`,
        {
          next: `Ask for at most ${own[name]}, or leave it out.`,
        },
      );
    settings[name] = value;
  }
  if (body.enable_double_confirmation !== undefined) settings['doubleConfirmation'] = body.enable_double_confirmation;
  return settings as ToolLoopSettings;
}

interface Invocation {
  readonly agent: ServedAgent;
  readonly as: 'once' | 'iterative';
  readonly runId: string;
  readonly model: string | undefined;
  readonly principal: Principal;
}

async function answered(parts: Parts, invocation: Invocation, outcome: Outcome<unknown> | undefined): Promise<Answer> {
  const { agent, as, runId, model, principal } = invocation;
  const card = await parts.feed.card(await parts.fleet.get(runId));
  const value = outcome !== undefined && 'value' in outcome ? outcome.value : undefined;
  const result = (typeof value === 'object' && value !== null ? value : {}) as Result;
  const ownShape = typeof result.rawText === 'string' && typeof result.tokens === 'number';
  const body: Invoked = {
    agent: agent.name,
    output: (ownShape ? (result.output ?? result.rawText) : value) ?? null,
    tokens_used: (card.usage['tokensIn']?.spent ?? 0) + (card.usage['tokensOut']?.spent ?? 0),
    model: (ownShape ? result.model : undefined) ?? model ?? agent.model ?? '',
    run_id: runId,
    stop: outcome?.stop ?? 'running',
    ...failureWords(principal, { stop: outcome?.stop ?? '', because: becauseOf(outcome) }),
    ...actFields(outcome),
    ...(card.waiting.length === 0 || outcome?.stop !== 'suspended' ? {} : { waiting_for: card.waiting }),
  };
  const headers = { location: `/v1/runs/${encodeURIComponent(runId)}` };
  const entries = await parts.fleet.entries(runId);
  const loop = as === 'once' ? {} : loopFields(result, entries);
  // what an event may not tell an answer may not either
  const clean: unknown = JSON.parse(
    parts.feed.clean(JSON.stringify({ ...body, ...askedFields(runId, entries), ...loop })),
  );
  return { status: statusOf(outcome), body: clean, headers };
}

/** What stands between the client and its answer, and where somebody can say something about it. */
function askedFields(runId: string, entries: readonly Entry[]): Pick<Invoked, 'approvals'> {
  const open = requestsIn(runId, entries).filter(({ status }) => status === 'open');
  if (open.length === 0) return {};
  const url = (id: string): string => `/v1/approvals/${encodeURIComponent(id)}`;
  return { approvals: open.map(({ id, kind, about }) => ({ id, kind, about, url: url(id) })) };
}

/** Names and facts. With what and why is the run's to tell, to those who may read it. */
function actFields(outcome: Outcome<unknown> | undefined): Pick<Invoked, 'acts' | 'acts_left_out'> {
  if (outcome?.acts === undefined) return {};
  const acts = outcome.acts.map(({ id, name, class: effectClass, what, undone }) => ({
    id,
    name,
    effect_class: effectClass,
    what,
    ...(undone === undefined ? {} : { undone }),
  }));
  return outcome.actsLeftOut === undefined ? { acts } : { acts, acts_left_out: outcome.actsLeftOut };
}

interface Result {
  readonly output?: unknown;
  readonly rawText?: unknown;
  readonly tokens?: unknown;
  readonly model?: string;
  readonly iterations?: number;
  readonly toolCalls?: number;
  readonly toolsUsed?: readonly string[];
  readonly termination?: string;
}

/** A loop that was stopped, or is not over, leaves no result, but its journal says how far it came. */
function loopFields(result: Result, entries: readonly Entry[]) {
  const last = entries.findLast(({ event }) => event.type === 'note' && event.event.kind === 'loop-end')?.event;
  const told = (last?.type === 'note' ? last.event : {}) as LoopEnd;
  return {
    iterations: result.iterations ?? told.iterations ?? iterationsIn(entries),
    tool_calls_made: result.toolCalls ?? told.toolCalls ?? callsIn(entries).length,
    tools_used: result.toolsUsed ?? toolsIn(entries),
    termination_reason: result.termination ?? told.reason ?? '',
  };
}

interface LoopEnd {
  readonly reason?: string;
  readonly iterations?: number;
  readonly toolCalls?: number;
}

function iterationsIn(entries: readonly Entry[]): number {
  return entries.filter(({ event }) => event.type === 'note' && event.event.kind === 'iteration').length;
}

/** Names of the calls that were made, each call once: one that changes something has an INTENT and an end. */
function callsIn(entries: readonly Entry[]): readonly string[] {
  const calls = new Map<string, string>();
  for (const { event, generation } of entries)
    if ((event.type === 'intent' || event.type === 'complete') && event.of === 'call' && event.name !== undefined)
      calls.set(`${generation} ${event.id}`, event.name);
  return [...calls.values()];
}

function toolsIn(entries: readonly Entry[]): readonly string[] {
  return [...new Set(callsIn(entries))];
}

function statusOf(outcome: Outcome<unknown> | undefined): number {
  switch (outcome?.stop) {
    case 'done':
    case 'degraded':
      return 200;
    case undefined:
    case 'suspended':
      return 202;
    default:
      return 422;
  }
}

function examplesOf({ directory }: Parts, as: 'once' | 'iterative'): readonly Example[] {
  const agent = directory.list().find(({ defined, modes }) => defined !== undefined && modes.includes(as));
  const missing: Example = {
    title: 'An agent that is not there',
    params: { name: 'nobody' },
    body: { inputs: {} },
    status: 404,
  };
  if (agent === undefined) return [missing];
  const body = { inputs: exampleFor(agent.inputs), ...(as === 'iterative' ? { max_iterations: 1 } : {}) };
  return [
    {
      title: 'With a narrower bound, which ends it',
      params: { name: agent.name },
      body: { ...body, budget: { modelCalls: 0 } },
      status: 422,
    },
    missing,
    {
      title: 'Bounds that would be raised',
      params: { name: agent.name },
      body: { ...body, budget: { costUsd: 1e9 } },
      status: 400,
    },
  ];
}
