import type { Budget, RunRecord } from 'flyball';
import type { Sending } from 'flyball/internal';
import { failureOf } from 'flyball/internal';
import { holds, type Principal } from '../access/principal.js';
import { admission, lowerBudget, startFork } from '../agents/admission.js';
import { screenMessage } from '../agents/screen-message.js';
import { servedName } from '../agents/served-agent.js';
import { standingOf } from '../agents/settlement.js';
import { budgetSchema, runCardSchema } from '../contract/resources.js';
import { type Answer, type Route, route, type ServerRequest } from '../contract/route.js';
import { type Schema, s } from '../contract/schema.js';
import type { Parts } from '../parts.js';
import { Problem } from '../problem.js';
import { acceptedRun } from './accepted-run.js';
import { ownRun } from './own-run.js';
import { runParams, shortText } from './run-schemas.js';

type Steering<B> = (
  request: ServerRequest<{ readonly runId: string }, unknown, B>,
  record: RunRecord,
) => Promise<Answer>;

/** What people do to a run that is there. */
export function runControlRoutes(parts: Parts): readonly Route[] {
  return [...stoppingRoutes(parts), ...tellingRoutes(parts), forkRoute(parts)];
}

const HEARD = { 202: { about: 'Accepted; the run acts on it as soon as possible', schema: runCardSchema } };

interface Control<B> {
  readonly id: string;
  /** Last part of the path. */
  readonly verb: string;
  readonly summary: string;
  readonly body: Schema<B>;
  readonly example: B;
  readonly steer: Steering<B>;
  readonly answers?: Route['answers'];
}

function steering<B>(parts: Parts, { verb, example, steer, answers = HEARD, ...rest }: Control<B>): Route {
  return route<{ readonly runId: string }, unknown, B>({
    ...rest,
    method: 'post',
    path: `/v1/runs/{runId}/${verb}`,
    tag: 'runs',
    scope: 'runs:control',
    params: runParams,
    answers,
    examples: [{ title: 'An unknown run', params: { runId: 'run_0' }, body: example, status: 404 }],
    handle: async (request) => steer(request, await ownRun(parts, request.principal, request.params.runId)),
  });
}

function stoppingRoutes(parts: Parts): readonly Route[] {
  const { fleet } = parts;
  return [
    steering(parts, {
      id: 'cancelRun',
      verb: 'cancel',
      summary: 'Cancel a run and undo what can be undone',
      body: s.object({ why: s.optional(shortText('Recorded in the journal.')) }),
      example: { why: 'no longer needed' },
      steer: async (request, { id }) => {
        const { why } = request.body;
        await fleet.cancel(id, { ...sending(request), ...(why === undefined ? {} : { why }) });
        return acceptedRun(parts, id);
      },
    }),
    steering(parts, {
      id: 'pauseRun',
      verb: 'pause',
      summary: 'Pause a run after its current action',
      body: s.object({}),
      example: {},
      steer: async (request, { id }) => {
        await fleet.pause(id, sending(request));
        return acceptedRun(parts, id);
      },
    }),
    steering(parts, {
      id: 'resumeRun',
      verb: 'resume',
      summary: 'Resume a run after a pause or a stall, or after a limit with a larger budget',
      body: s.object({ budget: s.optional(budgetSchema) }),
      example: {},
      steer: async (request, record) => resume(parts, request, record),
    }),
  ];
}

function tellingRoutes(parts: Parts): readonly Route[] {
  return [
    steering(parts, {
      id: 'signalRun',
      verb: 'signal',
      summary: 'Send a signal that a run waits for',
      body: s.object({
        name: shortText('The name of a signal the run waits for, now or later.'),
        payload: s.optional(s.any()),
        id: s.optional(
          s.string({ minLength: 1, maxLength: 200, description: 'A signal with the same id counts once.' }),
        ),
      }),
      example: { name: 'go' },
      steer: async (request, record) => signal(parts, request, record),
      answers: {
        202: {
          about:
            '`delivered` if the run waits for it now; `buffered` until it waits for this name; `duplicate` if this id was sent before',
          schema: s.object({
            delivery: s.enumOf(['delivered', 'buffered', 'duplicate']),
            waiting: s.list(s.string(), { description: 'The names the run waits for.' }),
          }),
        },
      },
    }),
    steering(parts, {
      id: 'redirectRun',
      verb: 'redirect',
      summary: 'Give a run a new instruction',
      body: s.object({ instruction: shortText('What to do differently.') }),
      example: { instruction: 'Keep it short.' },
      steer: async (request, { id }) => {
        const { instruction } = request.body;
        await screenMessage(instruction, { runId: id, principal: request.principal, scan: parts.settings.inputScan });
        await parts.fleet.redirect(id, instruction, sending(request));
        return acceptedRun(parts, id);
      },
    }),
  ];
}

function forkRoute(parts: Parts): Route {
  return steering(parts, {
    id: 'forkRun',
    verb: 'fork',
    summary: 'Fork a run: continue from an entry of its journal as a new run',
    body: s.object({
      at: s.integer({ minimum: 0, description: 'The last entry that the fork inherits; see fork-points.' }),
      generation: s.optional(s.integer({ minimum: 0 })),
      live: s.optional(
        s.boolean({
          description: 'Real side effects, after somebody approved the fork. Otherwise they are simulated.',
        }),
      ),
      budget: s.optional(budgetSchema),
    }),
    example: { at: 1 },
    steer: async (request, record) => fork(parts, request, record),
  });
}

async function resume(
  parts: Parts,
  { principal, body }: { readonly principal: Principal; readonly body: { readonly budget?: Partial<Budget> } },
  record: RunRecord,
): Promise<Answer> {
  const { id, status } = record;
  const asked = body.budget ?? {};
  const isAsked = Object.keys(asked).length > 0;
  if (isAsked && status === 'running')
    throw new Problem(409, 'CONFIG_INVALID', `Run ${id} is running, so its budget cannot be changed.`, {
      next: 'Pause it, then resume it with the new budget.',
    });
  const { limits, ended } = await parts.feed.fold(id);
  const own = parts.directory.get(servedName(record.agent).agent)?.budget ?? limits;
  if (own !== undefined && !holds(principal.scopes, 'admin')) lowerBudget(own, asked);
  const go = (budget: Partial<Budget>, isGiven: boolean) =>
    parts.fleet.resume(id, { by: principal.subject, ...(isGiven ? { budget } : {}) });
  // nothing is reserved for a run that cannot go on: the runtime says why
  if (limits === undefined || ended !== undefined) await go(asked, isAsked);
  else {
    const { costUsd: wantedUsd } = { ...limits, ...asked };
    const run = admission(parts.settings, principal, { runId: id, wantedUsd });
    await parts.spending.raise(
      run,
      () => standingOf(parts.feed, id),
      (costUsd) => (costUsd < wantedUsd ? go({ ...asked, costUsd }, true) : go(asked, isAsked)),
    );
  }
  return acceptedRun(parts, id);
}

interface Signalled {
  readonly principal: Principal;
  readonly once: string | undefined;
  readonly body: { readonly name: string; readonly payload?: unknown; readonly id?: string };
}

/** What people are asked is answered at /v1/approvals: by its token, by whoever may decide, and by no other door. */
async function signal(parts: Parts, { principal, once, body }: Signalled, { id: runId }: RunRecord): Promise<Answer> {
  const { name, payload, id = once } = body;
  await screenMessage(payload, { runId, principal, scan: parts.settings.inputScan });
  const sent = { from: principal.subject, mayAnswer: false, ...(id === undefined ? {} : { id }) };
  const receipt = await parts.fleet.signal(runId, name, payload, sent).catch((error: unknown) => {
    const { code, message } = failureOf(error);
    if (code !== 'DENIED') throw error;
    const next = 'Answer it at /v1/approvals, with a key that has the scope approvals:decide.';
    throw new Problem(403, 'FORBIDDEN', message, { next, cause: error });
  });
  return { status: 202, body: receipt };
}

interface Forking {
  readonly principal: Principal;
  readonly once: string | undefined;
  readonly body: {
    readonly at: number;
    readonly generation?: number;
    readonly live?: boolean;
    readonly budget?: Partial<Budget>;
  };
}

async function fork(parts: Parts, request: Forking, { id }: RunRecord): Promise<Answer> {
  const { at, generation, live, budget: asked } = request.body;
  const { limits } = await parts.feed.fold(id);
  if (limits === undefined) throw new Problem(409, 'FORK_REFUSED', `The journal of ${id} is still empty.`);
  const budget = lowerBudget(limits, asked, 'the run it is forked from');
  const handle = await startFork(parts, request, id, {
    at,
    budget,
    ...(generation === undefined ? {} : { generation }),
    ...(live === undefined ? {} : { live }),
  });
  return acceptedRun(parts, handle.id);
}

/** Under the name of the request: sent again after a crash, it is heard once. */
function sending({ principal, once }: Pick<ServerRequest, 'principal' | 'once'>): Sending {
  return { by: principal.subject, ...(once === undefined ? {} : { id: once }) };
}
