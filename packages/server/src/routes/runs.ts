import type { RunRecord } from 'flyball';
import { summarise } from 'flyball/views';
import { reachOf } from '../access/principal.js';
import { startRun } from '../agents/admission.js';
import { type ServedAgent, servedName } from '../agents/served-agent.js';
import { exampleFor } from '../contract/example-for.js';
import { budgetSchema, type RunCard, runCardSchema } from '../contract/resources.js';
import { type Example, type Route, route } from '../contract/route.js';
import { s } from '../contract/schema.js';
import type { Parts } from '../parts.js';
import { Problem } from '../problem.js';
import { acceptedRun } from './accepted-run.js';
import { agentNamed } from './agents.js';
import { holdRoutes } from './holds.js';
import { listRuns } from './list-runs.js';
import { ownRun } from './own-run.js';
import { runControlRoutes } from './run-control.js';
import { runDetailSchema, runListQuery, runListSchema, runParams } from './run-schemas.js';

const startBody = s.object({
  agent: s.string({ minLength: 1, maxLength: 200 }),
  input: s.optional(s.any({ description: 'Must match the input schema of the agent.' })),
  mode: s.optional(s.enumOf(['iterative', 'once'])),
  dryRun: s.optional(
    s.boolean({
      description: 'Workflows only: calls no model and no tool. The outcome lists what would be invoked.',
    }),
  ),
  budget: s.optional(budgetSchema),
  id: s.optional(
    s.string({
      pattern: '^[A-Za-z0-9_-]{1,64}$',
      description:
        'The server adds a suffix for the tenant to it. Use the id in the response. Refused if the tenant has used it before.',
    }),
  ),
});

/** Runs: start, list, read, steer. */
export function runRoutes(parts: Parts): readonly Route[] {
  return [startOne(parts), listThem(parts), readOne(parts), ...runControlRoutes(parts), ...holdRoutes(parts)];
}

function startOne(parts: Parts): Route {
  return route({
    tag: 'runs',
    id: 'startRun',
    method: 'post',
    path: '/v1/runs',
    summary: 'Start a run without waiting for it',
    about: 'With an `Idempotency-Key`, a repeated request starts only one run.',
    scope: 'agents:invoke',
    body: startBody,
    answers: { 202: { about: 'The started run', schema: runCardSchema } },
    refuses: [404],
    examples: startExamples(parts),
    handle: async (request) => {
      const { mode = 'iterative', budget, id, dryRun = false, ...body } = request.body;
      const agent = agentNamed(parts.directory, body.agent);
      requireMode(agent, mode);
      if (dryRun) requireWorkflow(agent);
      const handle = await startRun(parts, request, {
        agent,
        mode: dryRun ? 'dry' : mode,
        input: body.input ?? (agent.defined === undefined ? null : {}),
        ...(budget === undefined ? {} : { budget }),
        ...(id === undefined ? {} : { id }),
      });
      return acceptedRun(parts, handle.id);
    },
  });
}

function listThem(parts: Parts): Route {
  return route({
    tag: 'runs',
    id: 'listRuns',
    method: 'get',
    path: '/v1/runs',
    summary: 'List runs, newest first',
    scope: 'runs:read',
    query: runListQuery,
    answers: { 200: { about: 'A page of them', schema: runListSchema } },
    examples: [
      { title: 'The latest runs', status: 200 },
      { title: 'Suspended ones', query: { status: 'suspended', limit: '10' }, status: 200 },
    ],
    handle: async ({ principal, query }) => {
      const { agent, limit = 50, ...filter } = query;
      const isAsked = (record: RunRecord): boolean => agent === undefined || servedName(record.agent).agent === agent;
      const page = await listRuns({ ...parts, reach: reachOf(principal) }, { ...filter, limit }, isAsked);
      const runs: RunCard[] = [];
      for (const record of page.runs) runs.push(await parts.feed.card(record));
      return { status: 200, body: { runs, ...(page.cursor === undefined ? {} : { cursor: page.cursor }) } };
    },
  });
}

function readOne(parts: Parts): Route {
  return route({
    tag: 'runs',
    id: 'getRun',
    method: 'get',
    path: '/v1/runs/{runId}',
    summary: 'Read a run: its status, costs and outcome',
    scope: 'runs:read',
    params: runParams,
    answers: { 200: { about: 'The run', schema: runDetailSchema } },
    examples: [{ title: 'An unknown run', params: { runId: 'run_0' }, status: 404 }],
    handle: async ({ principal, params }) => {
      const record = await ownRun(parts, principal, params.runId);
      const { card, entries } = await parts.feed.detail(record);
      const summary = summarise(entries);
      const first = entries[0]?.event;
      return {
        status: 200,
        body: {
          ...card,
          summary,
          input: first?.type === 'run-start' ? first.input : null,
          ...(record.hold === undefined ? {} : { hold: record.hold }),
          ...(summary.outcome === undefined ? {} : { outcome: summary.outcome }),
        },
      };
    },
  });
}

function requireWorkflow({ name, kind }: ServedAgent): void {
  if (kind === 'workflow') return;
  throw new Problem(400, 'INPUT_INVALID', `${name} is not a workflow. Only workflows support a dry run.`, {
    next: 'Omit dryRun, and lower the limits instead.',
  });
}

function requireMode({ name, modes }: ServedAgent, mode: 'iterative' | 'once'): void {
  if (modes.includes(mode)) return;
  throw new Problem(400, 'INPUT_INVALID', `${name} does not support the mode "${mode}".`, {
    next: `Omit the mode, or choose one of ${modes.filter((known) => known !== 'conversation').join(', ')}.`,
  });
}

function startExamples({ directory }: Parts): readonly Example[] {
  const first = directory.list()[0];
  const refused: Example = { title: 'An unknown agent', body: { agent: 'nobody' }, status: 404 };
  if (first === undefined) return [refused];
  const body = {
    agent: first.name,
    input: exampleFor(first.inputs),
    budget: { costUsd: Math.min(0.5, first.budget.costUsd) },
  };
  return [{ title: 'A run with a smaller budget', body, status: 202 }, refused];
}
