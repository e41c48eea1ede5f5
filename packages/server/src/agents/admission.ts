import { createHash, randomUUID } from 'node:crypto';
import type { Budget, RunHandle } from 'flyball';
import { FlyballError } from 'flyball';
import type { ForkOptions } from 'flyball/internal';
import { canonicalJson, runExists } from 'flyball/internal';
import { accountsOf, type Principal } from '../access/principal.js';
import { limitsOf } from '../access/rate-limiter.js';
import type { Admission, Standing } from '../access/spending.js';
import type { Parts } from '../parts.js';
import { Problem } from '../problem.js';
import { runName, type ServedAgent } from './served-agent.js';

/** The one door to a new run: whoever starts one over the network is bounded, charged and named here. */

export interface StartRequest {
  readonly principal: Principal;
  /** `ServerRequest.once`: a request that is repeated names the same run again. */
  readonly once: string | undefined;
  /** `ServerRequest.isAbout`. */
  readonly isAbout?: (run: string) => void;
}

export interface NewAgentRun {
  readonly agent: ServedAgent;
  /** `iterative` where absent. */
  readonly mode?: 'iterative' | 'once' | 'conversation' | 'completion' | 'varied' | 'dry';
  readonly input: unknown;
  /** What of it is handed to the agent itself, where `input` wraps that: checked before there is a run. */
  readonly agentInput?: unknown;
  /** May lower the bounds of the agent. */
  readonly budget?: Partial<Budget>;
  /** How the client wants to call it: see `namedRunId`. */
  readonly id?: string;
}

type AdmissionParts = Pick<Parts, 'fleet' | 'spending' | 'settings' | 'contents' | 'backlog'>;

/** Starts a run of a served agent; answers the run that is there where the same request was made before. */
export async function startRun(parts: AdmissionParts, request: StartRequest, run: NewAgentRun): Promise<RunHandle> {
  const { agent, mode = 'iterative', id } = run;
  const { principal } = request;
  const input = await parts.contents.filled(principal, run.input);
  if (mode !== 'conversation' && mode !== 'completion')
    await agent.checkInput('agentInput' in run ? await parts.contents.filled(principal, run.agentInput) : input);
  return startNamed(parts, request, {
    name: runName(agent.name, mode),
    input,
    budget: lowerBudget(agent.budget, run.budget),
    source: agent.group.source,
    ...(id === undefined ? {} : { id }),
  });
}

export interface NewNamedRun {
  /** As the runtime knows it. */
  readonly name: string;
  readonly input: unknown;
  readonly budget: Budget;
  readonly source?: string | undefined;
  readonly id?: string;
}

/** A fork is a run like any other: counted, and answered again to whoever repeats the request. */
export async function startFork(
  parts: AdmissionParts,
  request: StartRequest,
  parent: string,
  fork: Pick<ForkOptions, 'at' | 'generation' | 'live'> & { readonly budget: Budget },
): Promise<RunHandle> {
  const { subject } = request.principal;
  const { agent } = await parts.fleet.get(parent);
  return admittedStart(parts, request, { name: agent, budget: fork.budget }, (id, budget) =>
    parts.fleet.fork(parent, { ...fork, id, budget, by: subject }),
  );
}

/** As `startRun`, for what is no agent of the directory: one call of a tool, a trigger. */
export async function startNamed(parts: AdmissionParts, request: StartRequest, run: NewNamedRun): Promise<RunHandle> {
  const { tenant, subject } = request.principal;
  const source = run.source === undefined ? {} : { source: run.source };
  return admittedStart(parts, request, run, (id, budget) =>
    parts.fleet.start(run.name, run.input, { id, tenant, subject, budget, ...source }),
  );
}

type Started = Pick<NewNamedRun, 'name' | 'budget' | 'id'> & Partial<Pick<NewNamedRun, 'input'>>;

async function admittedStart(
  parts: AdmissionParts,
  request: StartRequest,
  run: Started,
  start: (id: string, budget: Budget) => Promise<RunHandle>,
): Promise<RunHandle> {
  const runId = runIdFor(request, run.id);
  const known = request.once === undefined ? undefined : await ownEarlier(parts, request, { ...run, runId });
  if (known !== undefined) {
    request.isAbout?.(runId);
    return known;
  }
  if (run.id !== undefined && !(await isNot(parts, runId))) throw runExists(runId);
  await parts.backlog.admit(request.principal.tenant);
  const budget = await admitted(parts, request.principal, { runId, budget: run.budget });
  request.isAbout?.(runId); // the log names no run that was refused
  try {
    return await start(runId, budget);
  } catch (error) {
    return afterRefusal(parts, request, { ...run, runId }, error);
  }
}

/** Takes what the run may cost out of what tenant and key have left today; less than asked for is less of a budget. */
async function admitted(
  { spending, settings }: Pick<Parts, 'spending' | 'settings'>,
  principal: Principal,
  { runId, budget }: { readonly runId: string; readonly budget: Budget },
): Promise<Budget> {
  const { costUsd } = await spending.admit(admission(settings, principal, { runId, wantedUsd: budget.costUsd }));
  return costUsd < budget.costUsd ? { ...budget, costUsd } : budget;
}

/** A run that may cost this much in all, as it counts for whoever asks for it. */
export function admission(
  settings: Parts['settings'],
  principal: Principal,
  run: Pick<Admission, 'runId' | 'wantedUsd'>,
): Admission {
  const { tenant } = principal;
  return {
    ...run,
    tenant,
    tenantLimit: limitsOf(settings, tenant).costUsdPerDay,
    payers: accountsOf(principal).flatMap(({ id, limits: { costUsdPerDay: limitUsd } }) =>
      limitUsd === undefined ? [] : [{ id, limitUsd }],
    ),
  };
}

/** Bounds with those of a request, which may lower them. What would raise one is refused by name. */
export function lowerBudget(own: Budget, asked: Partial<Budget> = {}, whose = 'the agent'): Budget {
  for (const [axis, limit] of Object.entries(asked) as [keyof Budget, number | undefined][]) {
    const most = own[axis];
    if (limit === undefined || most === undefined || limit <= most) continue;
    throw new Problem(
      400,
      'INPUT_INVALID',
      `A request can lower the limits of ${whose} but not raise them: ${axis} can be at most ${most}, not ${limit}.`,
      { next: `Set ${axis} to at most ${most}, or omit it.` },
    );
  }
  return { ...own, ...Object.fromEntries(Object.entries(asked).filter(([, limit]) => limit !== undefined)) };
}

/**
 * Clients may call a run something. Ids are one space for all tenants, so that a name alone would tell whether somebody
 * else uses it: the run's id begins with the name and ends with what is the tenant's own.
 */
export function namedRunId(tenant: string, name: string): string {
  return `${name}-${createHash('sha256').update(tenant).digest('hex').slice(0, 10)}`;
}

function runIdFor({ principal, once }: StartRequest, name: string | undefined): string {
  if (name !== undefined) return namedRunId(principal.tenant, name);
  if (once === undefined) return `run_${randomUUID().replaceAll('-', '').slice(0, 20)}`;
  return `run_${createHash('sha256').update(`${principal.tenant}\n${once}`).digest('hex').slice(0, 20)}`;
}

type Attempted = Started & { readonly runId: string };

/** The run of the same request made earlier: nothing is admitted or started for it again. */
async function ownEarlier(
  { fleet }: AdmissionParts,
  { principal }: StartRequest,
  { runId, name, id, input }: Attempted,
): Promise<RunHandle | undefined> {
  const record = await fleet.get(runId).catch((error: unknown) => {
    if (error instanceof FlyballError && error.code === 'RUN_NOT_FOUND') return undefined;
    throw error;
  });
  const isIt = record?.tenant === principal.tenant && record.subject === principal.subject && record.agent === name;
  if (!isIt) return undefined;
  // a name that the client chose may have been given to something else before
  if (id !== undefined && !(await wasStartedWith(fleet, runId, input))) return undefined;
  return fleet.handle(runId);
}

async function wasStartedWith(fleet: Parts['fleet'], runId: string, input: unknown): Promise<boolean> {
  const [first] = await fleet.entries(runId, { limit: 1 });
  return first?.event.type === 'run-start' && canonicalJson(first.event.input) === canonicalJson(input);
}

const NOTHING_SPENT = async (): Promise<Standing> => ({ spentUsd: 0 });

/** A run that never was costs nothing; one that another copy of this request has just started is its answer. */
async function afterRefusal(
  parts: AdmissionParts,
  request: StartRequest,
  run: Attempted,
  error: unknown,
): Promise<RunHandle> {
  const exists = error instanceof FlyballError && error.code === 'RUN_EXISTS';
  const earlier = exists && request.once !== undefined ? await ownEarlier(parts, request, run) : undefined;
  if (earlier !== undefined) return earlier;
  const { runId } = run;
  const { tenant } = request.principal;
  if (!exists && (await isNot(parts, runId))) await parts.spending.settle({ runId, tenant }, NOTHING_SPENT);
  throw error;
}

/** Whether there is no such run. A start can fail after the run was made: then it goes on and is charged as any other. */
async function isNot({ fleet }: AdmissionParts, runId: string): Promise<boolean> {
  return fleet.get(runId).then(
    () => false,
    (error: unknown) => error instanceof FlyballError && error.code === 'RUN_NOT_FOUND',
  );
}
