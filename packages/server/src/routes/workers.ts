import { createHash } from 'node:crypto';
import {
  declareOwnerGone,
  knownOwners,
  type WaitingLine,
  type WorkingProcess,
  type WorkState,
  workState,
} from 'flyball/internal';
import { holds, type Principal } from '../access/principal.js';
import { type Route, route } from '../contract/route.js';
import { s } from '../contract/schema.js';
import type { Parts } from '../parts.js';
import { notFound } from '../problem.js';
import { shortText } from './run-schemas.js';

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
    owner: s.object(
      { id: s.string(), host: s.optional(s.string()), pid: s.optional(s.integer()) },
      { description: 'Without workers:control, only an id that tells processes apart.' },
    ),
    state: s.enumOf(['working', 'draining', 'silent', 'gone'], {
      description:
        'draining: it takes no more runs. silent: it runs a command or a program and takes no other runs, or it was lost (`silentSince`). gone: it has ended, and its runs are in the queue.',
    }),
    silentSince: s.optional(at('Only while it is silent and no longer renews its leases: when the last of them ended')),
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
  dispatcher: s.optional(
    s.object(
      { page: s.string({ description: 'The address of its own user interface' }) },
      {
        description: 'Decides which process works on a run, if one is configured.',
      },
    ),
  ),
  queue: s.object({
    runs: s.integer({ description: 'Runs of all tenants in the queue' }),
    since: s.optional(at('When the first of them could have continued')),
    unserved: s.integer({ description: 'Runs of all tenants whose agent no worker has' }),
    lines: s.list(lineSchema, { description: 'Runs of your tenant in the queue' }),
  }),
});

const MOST_HELD = 100;
/** Storage is asked at most this often. */
const HOLDS_MS = 1_000;

type WorkerParts = Pick<Parts, 'engine' | 'clock' | 'host' | 'dispatcherPage'>;

/** Who works on runs, for those who operate the server. Of other tenants there are numbers only. */
export function workerRoutes(parts: WorkerParts): readonly Route[] {
  return [listWorkers(parts), declareGone(parts)];
}

function listWorkers({ engine, clock, host, dispatcherPage }: WorkerParts): Route {
  let known: { readonly at: number; readonly state: Promise<WorkState> } | undefined;
  const look = (): Promise<WorkState> => {
    const now = clock.monotonic();
    if (known === undefined || now - known.at >= HOLDS_MS) {
      const state = workState(engine, { now: clock.now(), isGone: (owner) => host.isGone(owner) });
      known = { at: now, state };
    }
    return known.state;
  };
  const dispatcher = dispatcherPage === undefined ? {} : { dispatcher: { page: dispatcherPage } };
  return route({
    id: 'listWorkers',
    method: 'get',
    path: '/v1/workers',
    tag: 'server',
    summary: 'List the workers and the queue',
    about: 'The ids of processes that other routes take are shown to credentials that also have `workers:control`.',
    scope: 'metrics:read',
    answers: { 200: { about: 'The workers on this database, and the queue', schema: workersSchema } },
    examples: [{ title: 'All of them', status: 200 }],
    handle: async ({ principal }) => ({ status: 200, body: { ...shownTo(principal, await look()), ...dispatcher } }),
  });
}

const goneSchema = s.object({
  owner: s.string(),
  runs: s.integer({ description: 'Runs of all tenants that it held and that continue now' }),
  woken: s.integer({
    description: 'Runs that other processes took over, and that were waiting for an effect it left open',
  }),
  left: s.integer({ description: 'Effects it left open: they are verified, or a person is asked' }),
});

/** As `flyball owner gone`: it is kept in the log of operations. */
function declareGone({ engine, clock }: WorkerParts): Route {
  return route({
    id: 'declareWorkerGone',
    method: 'post',
    path: '/v1/workers/{ownerId}/gone',
    tag: 'server',
    summary: 'Declare that a process is gone',
    about:
      'For a process on another machine or in another container that was removed or switched off. Its runs of all tenants continue at once. Only do this if it is true: a process that is still alive loses its runs, and what it is doing at that moment may happen twice. It then gets a new id, which this does not cover. Reads the journals of all runs at work, so it can take a while.',
    scope: 'workers:control',
    params: s.object({ ownerId: s.string({ minLength: 1, maxLength: 300, description: '`owner.id` of the process' }) }),
    body: s.object({ why: shortText('Recorded in the operations log.') }),
    answers: { 200: { about: 'What continues now', schema: goneSchema } },
    examples: [
      {
        title: 'An unknown process',
        params: { ownerId: 'node-9:1' },
        body: { why: 'node-9 was removed' },
        status: 404,
      },
    ],
    handle: async ({ principal, params: { ownerId: of }, body: { why } }) => {
      const known = (await knownOwners(engine)).owners.find(({ owner }) => owner.id === of);
      if (known === undefined && !(await engine.goneOwners()).includes(of)) throw notFound('process', of);
      const left = known?.left ?? [];
      const operation = { at: clock.now(), by: principal.subject, action: 'owner-gone', of, why } as const;
      const { held, woken } = await declareOwnerGone(engine, operation, left);
      return { status: 200, body: { owner: of, runs: held.length, woken: woken.length, left: left.length } };
    },
  });
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

/** The machines of a server are the business of whoever operates it, and its own id names both. */
function ownerShownTo({ scopes }: Principal, owner: WorkingProcess['owner']): Partial<WorkingProcess['owner']> {
  if (holds(scopes, 'workers:control')) return owner;
  return { id: createHash('sha256').update(owner.id).digest('hex').slice(0, 16) };
}

function workerShownTo(principal: Principal, { held, owner, silentSince, ...process }: WorkingProcess) {
  const mine = holds(principal.scopes, 'runs:all') ? held.filter(({ tenant }) => tenant === principal.tenant) : [];
  return {
    owner: ownerShownTo(principal, owner),
    ...process,
    ...(silentSince === undefined ? {} : { silentSince: Math.round(silentSince) }),
    runs: held.length,
    held: mine.slice(0, MOST_HELD).map(({ tenant: _own, leaseUntil, ...run }) => ({
      ...run,
      ...(leaseUntil === undefined ? {} : { leaseUntil: Math.round(leaseUntil) }),
    })),
  };
}
