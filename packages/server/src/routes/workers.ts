import { type WaitingLine, type WorkingProcess, type WorkState, workState } from 'flyball/internal';
import { holds, type Principal } from '../access/principal.js';
import { type Route, route } from '../contract/route.js';
import { s } from '../contract/schema.js';
import type { Parts } from '../parts.js';

const at = (description: string) => s.integer({ description: `${description}, in milliseconds since 1970` });

const heldSchema = s.object({
  id: s.string(),
  agent: s.string(),
  version: s.string(),
  leaseUntil: s.optional(at('When its lease ends unless it is renewed')),
});

const workerSchema = s.named(
  'Worker',
  s.object({
    owner: s.object({ id: s.string(), host: s.string(), pid: s.integer() }),
    state: s.enumOf(['working', 'draining', 'silent'], {
      description: 'draining: it takes no more runs. silent: it holds runs, but takes none by itself.',
    }),
    agents: s.record(s.string(), { description: 'The version of each agent whose runs it takes' }),
    since: s.optional(at('When it started')),
    weight: s.optional(s.number({ description: 'How many runs it takes at once, compared with other workers' })),
    concurrency: s.optional(s.integer({ description: 'How many runs it works on at the same time' })),
    runs: s.integer({ description: 'Runs of all tenants that it holds' }),
    held: s.list(heldSchema, { description: 'Runs of your tenant that it holds, up to 100; needs runs:all.' }),
  }),
);

const lineSchema = s.object({
  agent: s.string(),
  version: s.string(),
  runs: s.integer(),
  since: at('When the first of them could have continued'),
  served: s.boolean({ description: 'Whether a worker has this agent' }),
});

const workersSchema = s.object({
  workers: s.list(workerSchema),
  queue: s.object({
    runs: s.integer({ description: 'Runs of all tenants that wait in line' }),
    since: s.optional(at('When the first of them could have continued')),
    unserved: s.integer({ description: 'Runs of all tenants whose agent no worker has' }),
    lines: s.list(lineSchema, { description: 'Runs of your tenant that wait in line' }),
  }),
});

const MOST_HELD = 100;
/** Storage is asked at most this often. */
const HOLDS_MS = 1_000;

/** Who works on runs, for those who operate the server. Of other tenants there are numbers only. */
export function workerRoutes({ engine, clock }: Pick<Parts, 'engine' | 'clock'>): readonly Route[] {
  let known: { readonly at: number; readonly state: Promise<WorkState> } | undefined;
  const look = (): Promise<WorkState> => {
    const now = clock.monotonic();
    if (known === undefined || now - known.at >= HOLDS_MS) known = { at: now, state: workState(engine, clock.now()) };
    return known.state;
  };
  return [
    route({
      id: 'listWorkers',
      method: 'get',
      path: '/v1/workers',
      tag: 'server',
      summary: 'List the workers and what waits in line',
      scope: 'metrics:read',
      answers: { 200: { about: 'The workers on this database, and the queue', schema: workersSchema } },
      examples: [{ title: 'All of them', status: 200 }],
      handle: async ({ principal }) => ({ status: 200, body: shownTo(principal, await look()) }),
    }),
  ];
}

function shownTo(principal: Principal, { processes, queue }: WorkState) {
  const { tenant } = principal;
  const since = Math.min(...queue.map((line) => line.since));
  const count = (lines: readonly WaitingLine[]): number => lines.reduce((sum, { runs }) => sum + runs, 0);
  return {
    workers: processes.map((process) => workerShownTo(principal, process)),
    queue: {
      runs: count(queue),
      ...(queue.length === 0 ? {} : { since: Math.round(since) }),
      unserved: count(queue.filter(({ isServed }) => !isServed)),
      lines: queue
        .filter((line) => line.tenant === tenant)
        .map(({ agent, version, runs, since: first, isServed: served }) => ({
          ...{ agent, version, runs, since: Math.round(first), served },
        })),
    },
  };
}

function workerShownTo(principal: Principal, { held, ...process }: WorkingProcess) {
  const mine = holds(principal.scopes, 'runs:all') ? held.filter(({ tenant }) => tenant === principal.tenant) : [];
  return {
    ...process,
    runs: held.length,
    held: mine.slice(0, MOST_HELD).map(({ tenant: _own, leaseUntil, ...run }) => ({
      ...run,
      ...(leaseUntil === undefined ? {} : { leaseUntil: Math.round(leaseUntil) }),
    })),
  };
}
