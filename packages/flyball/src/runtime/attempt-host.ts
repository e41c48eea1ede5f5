import { failureOf, JournalConflictError } from '../core/errors.js';
import { through } from '../core/join-seams.js';
import type { Rest } from '../ports/engine.js';
import { agentNamed } from './agent-named.js';
import type { Attempt } from './attempt.js';
import type { Audience } from './audience.js';
import { finish } from './finish.js';
import type { AttemptHost, Life } from './host.js';
import type { Leases } from './leases.js';
import { readAll } from './load.js';
import type { Settings } from './options.js';
import type { OtherRunsHost } from './reach.js';
import { harvest, leftBy, type Stage } from './rehearsal.js';
import { pause, suspend } from './resting.js';
import { isStorageFailure, stoppedHere } from './stopped-here.js';
import type { Trials } from './trials.js';
import { isProgress } from './writer.js';

/** The process that lives of runs live in, as far as their host has to know it. */
export interface Household extends Stage {
  readonly audience: Audience;
  readonly leases: Leases;
  readonly trials: Trials;
  others(): OtherRunsHost;
  /** Extends the leases of these; those that another owner has taken over end. */
  renew(of: readonly Attempt[]): Promise<void>;
  /** It lives here no more; `wakeAt`: until then it sleeps. */
  forget(life: Life, wakeAt?: number): void;
  /** Goes on with the next generation. */
  turn(life: Life, generation: number): Promise<void>;
}

/** What lives of runs get from the process: every life in it has the same host. */
export function hostFor(house: Household): AttemptHost {
  const { settings, audience, leases, trials } = house;
  const { engine, seams, options, host, prices } = settings;
  const finishing = new WeakSet<Attempt>();
  const ifAlive = (attempt: Attempt, job: (attempt: Attempt) => Promise<void>): void => {
    // a job that fails after it unloaded its run has nobody left to tell but the host
    job(attempt).catch((error: unknown) =>
      attempt.life.isDead ? broke(house, attempt, error) : attempt.life.fail(error),
    );
  };
  return {
    engine,
    seams,
    options,
    isGone: (owner) => host.isGone(owner),
    versionOf: (agent) => agentNamed(settings.agents, agent).version,
    leases: leases.until,
    priceOf: prices,
    breakers: new WeakMap(),
    aroundBody: settings.aroundBody,
    get others() {
      return house.others();
    },
    aroundAgent: async (agent, run, input) => {
      const { id: runId, tenant, subject } = run;
      return through(seams, 'run', (value) => agent(run, value))(input, { runId, tenant, subject, at: '' });
    },
    audience,
    wentOn: (runId, entries) => {
      if (trials.isOnTrial(runId) && entries.some(({ event }) => isProgress(event))) trials.acquit(runId);
    },
    settled: (life) => {
      const attempt = life as Attempt;
      const { settlement } = attempt.life;
      if (settlement === undefined || finishing.has(attempt)) return;
      finishing.add(attempt);
      ifAlive(attempt, () => finish(attempt, settlement));
    },
    stopped: (life) => ifAlive(life as Attempt, pause),
    idle: (life) => ifAlive(life as Attempt, suspend),
    ended: (life, outcome) => {
      house.forget(life);
      if (outcome.stop !== 'suspended') report(settings, life);
      audience.rested(life.runId, { outcome });
    },
    broke: (life, error) => broke(house, life, error),
    release: (life, rest) => release(house, life as Attempt, rest),
    renew: (life) => house.renew([life as Attempt]),
    nextGeneration: (life, generation) => {
      house.turn(life, generation).catch((error: unknown) => broke(house, life, error));
    },
    harvested: () => undefined,
    leftBy: (life, generation) => leftBy(house, life, generation),
    harvest: (life, generation) => harvest(house, life, generation),
  };
}

type Release = Parameters<AttemptHost['release']>[1];

async function release(house: Household, attempt: Attempt, rest: Release): Promise<void> {
  const { engine, clock } = house.settings;
  const activeMs = attempt.life.time.total();
  const yields = rest.status === 'bounded' ? ({ unlessCancelled: true } as const) : {};
  await engine.release(attempt.claim, { ...rest, ...yields, now: clock.now(), activeMs });
  house.forget(attempt, rest.status === 'suspended' ? rest.wakeAt : undefined);
}

/** Hands the whole journal to telemetry. Nothing waits for it. */
function report({ engine, telemetry, onProblem }: Settings, { runId, claim }: Life): void {
  if (telemetry === undefined) return;
  const generations = engine.get(runId).then((record) => readAll(engine, record ?? claim.record));
  generations
    .then((entries) => telemetry(runId, entries))
    .catch((error: unknown) => onProblem(error, `reporting run ${runId}`));
}

/** A life ended without an outcome: the run is set aside, where it is ours to do so. */
function broke(house: Household, life: Life, error: unknown): void {
  const { audience, settings } = house;
  const { engine, clock, onStalled, onLost, onProblem } = settings;
  house.forget(life);
  const tell = (): void => audience.rested(life.runId, { error: stoppedHere(life.runId, error) });
  if (error instanceof JournalConflictError) onLost(life.runId);
  // a lost lease is not ours to give back, and a store that fails cannot take it
  if (isStorageFailure(error)) return tell();
  const { code } = failureOf(error);
  const attention = error instanceof Error ? error.message : String(error);
  // no loop: whoever takes it up for a cancellation writes that down before anything can break again
  const rest: Rest = { status: 'stalled', attention, code, unlessCancelled: true, now: clock.now() };
  onStalled(life.runId, error);
  const failedTo = (problem: unknown): void => onProblem(problem, `setting run ${life.runId} aside`);
  const released = engine.release(life.claim, rest);
  released.then(tell, tell); // before anybody can take it up again
  released.catch(failedTo);
}
