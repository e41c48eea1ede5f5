import { ConfigError, FlyballError, JournalConflictError } from '../core/errors.js';
import { checkAgents } from './agent-named.js';
import { Attendance } from './attendance.js';
import { Audience } from './audience.js';
import { drive } from './drive.js';
import { Lives } from './lives.js';
import { readAll, readPart, readPrompt } from './load.js';
import { cancel, pause, post, redirect, signal } from './messages.js';
import { forkRun, startRun } from './new-runs.js';
import { type RuntimeParts, settle } from './options.js';
import { otherRunsOf } from './other-runs.js';
import type { Resume } from './reopening.js';
import { handleOf, handleOfAgent, launch, type Opened, recordOf, refuseTerminal } from './run-handles.js';
import type { RunHandle, Runtime } from './runtime.js';
import { isOfStorage } from './stopped-here.js';
import { isAtRest, Worker } from './worker.js';

/** The process's side of running agents: starts, resumes, signals, forks, and keeps what is due moving. */
export function openRuntime(parts: RuntimeParts): Runtime {
  checkAgents(parts.agents);
  const settings = settle(parts);
  const { engine } = settings;
  const audience = new Audience(settings.onProblem);
  const lives = new Lives(settings, audience);
  const worker = new Worker(settings, lives, audience);
  const opened: Opened = { settings, audience, lives, worker };
  lives.reach(otherRunsOf(opened));
  const attendance = settings.driven === undefined ? undefined : new Attendance(opened, settings.driven);
  worker.start();
  attendance?.start();
  return {
    start: (agent, input, options) => startRun(opened, agent, input, options),
    resume: (runId, given = {}) => resume(opened, runId, given),
    wake: (runId) => wake(opened, runId),
    drive: (runId) => drive(opened, runId),
    handle: (runId: string, agent?: string) =>
      agent === undefined ? handleOf(opened, runId) : handleOfAgent(opened, runId, agent),
    signal: (runId, name, payload, sent = {}) => signal(opened, runId, name, payload, sent),
    redirect: (runId, instruction, given = {}) => redirect(opened, runId, instruction, given),
    cancel: (runId, given = {}) => cancel(opened, runId, given),
    pause: (runId, given = {}) => pause(opened, runId, given),
    fork: (runId, given) => forkRun(opened, runId, given),
    get: (runId) => recordOf(opened, runId),
    list: (filter = {}) => engine.list(filter),
    entries: async (runId, part) => {
      const record = await recordOf(opened, runId);
      return part === undefined ? readAll(engine, record) : readPart(engine, record, part);
    },
    prompt: async (runId, tip) => readPrompt(engine, await recordOf(opened, runId), tip),
    subscribe: (listener) => audience.subscribe(listener),
    subscribeDeltas: (listener) => audience.subscribeDeltas(listener),
    close: (given = {}) => close(opened, attendance ?? worker, given.drainMs ?? settings.options.drainMs),
    abandon() {
      attendance?.stop();
      worker.stop();
      lives.abandon();
    },
    loaded: () => lives.size,
    current: () => lives.currentRun(),
    blame: (error) => lives.blame(error),
  };
}

/** How often a resume is tried that somebody else was quicker than. */
const TRIES = 8;

/** Somebody may be looking at a run that rests, to write down what was said to it before: that is over in a moment. */
async function resume(
  opened: Opened,
  runId: string,
  given: NonNullable<Parameters<Runtime['resume']>[1]>,
): Promise<RunHandle> {
  const { status } = await recordOf(opened, runId);
  for (let tries = 1; ; tries += 1)
    try {
      return await resumeNow(opened, runId, given);
    } catch (error) {
      if (!(error instanceof JournalConflictError) || !isAtRest(status) || tries === TRIES) throw error;
      await new Promise<void>((resolve) => opened.settings.clock.after(Math.min(500, 10 * 2 ** tries), resolve));
    }
}

async function resumeNow(
  opened: Opened,
  runId: string,
  given: NonNullable<Parameters<Runtime['resume']>[1]>,
): Promise<RunHandle> {
  const { lives } = opened;
  await lives.givenBack(runId);
  const record = await recordOf(opened, runId);
  const by = given.by ?? 'anonymous';
  refuseTerminal(record);
  lives.agent(record.agent);
  if (await lives.holds(runId)) {
    if (given.budget !== undefined)
      throw new ConfigError(`Run ${runId} is running here. Pause it, then resume it with the new budget.`);
    await post(opened, runId, { kind: 'resume', name: '', from: by, body: '' });
    return handleOf(opened, runId);
  }
  const resumed = { by, ...(given.budget === undefined ? {} : { budget: given.budget }) };
  return opened.worker.admit(record, (isInLine) =>
    isInLine || opened.settings.dispatcher !== undefined
      ? resumeInLine(opened, runId, resumed)
      : launch(opened, runId, 'resume', resumed),
  );
}

/** What was decided is written down here; whose turn it is shows later. */
async function resumeInLine(opened: Opened, runId: string, resumed: Resume): Promise<RunHandle> {
  const { dispatcher } = opened.settings;
  await opened.lives.launch(runId, 'resume', resumed, { putBack: true }).catch(async (error: unknown) => {
    // it may be claimed here and not given back: whoever drives it next takes it from us
    if (isOfStorage(error)) await dispatcher?.dispatch(runId);
    throw error;
  });
  await dispatcher?.dispatch(runId);
  opened.worker.lookSoon();
  return handleOf(opened, runId);
}

async function wake(opened: Opened, runId: string): Promise<RunHandle> {
  const { lives } = opened;
  const record = await recordOf(opened, runId);
  refuseTerminal(record);
  lives.agent(record.agent);
  const { dispatcher } = opened.settings;
  await dispatcher?.dispatch(runId);
  return opened.worker.admit(record, async (isInLine) => {
    if (isInLine) opened.worker.lookSoon();
    const isElsewhere = lives.has(runId) || dispatcher !== undefined || isInLine;
    return isElsewhere ? handleOf(opened, runId) : launch(opened, runId, 'wake');
  });
}

async function close(
  { settings, audience, lives, worker }: Opened,
  taking: Pick<Worker, 'leave' | 'withdraw'>,
  drainMs: number,
): Promise<void> {
  worker.stopLooking();
  const left = taking.leave(drainMs).catch((error: unknown) => settings.onProblem(error, 'taking no more runs'));
  let stopWaiting = (): void => undefined;
  const late = new Promise<void>((resolve) => {
    stopWaiting = settings.clock.after(drainMs, resolve);
  });
  await Promise.race([lives.giveAllBack(), late]);
  stopWaiting();
  await lives.giveUp();
  await left;
  await taking.withdraw().catch((error: unknown) => settings.onProblem(error, 'withdrawing'));
  worker.stop(); // leases are renewed until nothing needs them
  await worker.hasLooked();
  lives.abandon();
  audience.rejectAll(
    new FlyballError('RUN_UNLOADED', 'The runtime was closed. The run continues when a runtime opens it again.'),
  );
}
