import { dirname } from 'node:path';
import { nodeHost } from '../adapters/host-node/node-host.js';
import { FlyballError } from '../core/errors.js';
import type { Outcome } from '../core/outcome.js';
import type { RunHandle, Runtime } from '../index.js';
import type { RunRecord, RunStatus } from '../ports/engine.js';
import { type AgentModule, loadAgentModule } from './agent-module.js';
import type { Call } from './command.js';
import { commandPackages } from './command-packages.js';
import { isFixFolderGone } from './commit/fix-folder.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { filesOf, type Place } from './place.js';
import { printable } from './printable.js';
import { rideToRest } from './ride.js';
import { liveOwner, openExisting, type Workplace } from './workplace.js';

/** Something to tell a run, and what this process does about it afterwards. */
export interface Steering {
  readonly runId: string;
  /** What was done, for the reader: `signal "go" is delivered`. */
  readonly said: string;
  /** Puts the message into the run's inbox; whoever owns the run notices. A text it answers with is said as well. */
  readonly post: (workplace: Workplace, record: RunRecord) => Promise<unknown>;
  /** Statuses in which a run that nobody works on is carried on here. */
  readonly wakes: readonly RunStatus[];
  readonly wake: boolean;
  readonly exitCodeOf?: (outcome: Outcome<unknown>) => ExitCode;
}

/** Posts first, so that the message is safe; then goes on with the run here, unless another process works on it. */
export async function steer(call: Call, steering: Steering): Promise<ExitCode> {
  const { screen, place } = call;
  const { runId } = steering;
  const workplace = await openExisting(place, runId);
  try {
    const became = await steering.post(workplace, await workplace.desk.get(runId));
    const said = typeof became === 'string' ? `${steering.said}. ${became}` : steering.said;
    const record = await workplace.desk.get(runId);
    const stays = whyNotHere(record, steering, workplace);
    if (stays !== undefined) {
      screen.data({ kind: 'posted', run: runId, status: record.status, said, why: stays });
      screen.line(`${screen.paint('green', '✓')} ${printable(`${said}. ${stays}`)}`);
      return EXIT.ok;
    }
    screen.line(`${screen.paint('green', '✓')} ${printable(said)}. Continuing ${screen.paint('bold', runId)} here.`);
    const going = goOn(call, { workplace, record, launch: (runtime) => runtime.wake(runId), ...steering });
    return await going.catch((error: unknown) => takenElsewhere(error, { call, workplace, steering }));
  } finally {
    await workplace.close();
  }
}

/** What was posted is safe, and a server over the same database may be faster than this command: that is no failure. */
async function takenElsewhere(
  error: unknown,
  { call, workplace, steering }: { readonly call: Call; readonly workplace: Workplace; readonly steering: Steering },
): Promise<ExitCode> {
  const isTaken = error instanceof FlyballError && ['ALREADY_TERMINAL', 'JOURNAL_CONFLICT'].includes(error.code);
  if (!isTaken) throw error;
  const { runId: run, said } = steering;
  const { status } = await workplace.desk.get(run);
  const why = `Another process continued the run first; it is ${status}.`;
  call.screen.data({ kind: 'posted', run, status, said, why });
  call.screen.line(`  ${why}`);
  return EXIT.ok;
}

/** Loads the run's agent again and carries the run on in this process. */
export async function goOn(
  { screen }: Call,
  given: {
    readonly workplace: Workplace;
    readonly record: RunRecord;
    readonly launch: (runtime: Runtime) => Promise<RunHandle>;
    readonly exitCodeOf?: (outcome: Outcome<unknown>) => ExitCode;
  },
): Promise<ExitCode> {
  const { workplace, record, launch, exitCodeOf } = given;
  await refuseWithoutTree(workplace, record);
  const module = await moduleOf(record, workplace);
  const runtime = workplace.runner(module, record.id);
  const ride = {
    workplace,
    runtime,
    runId: record.id,
    screen,
    module,
    ...(exitCodeOf === undefined ? {} : { exitCodeOf }),
  };
  return rideToRest(ride, () => launch(runtime));
}

/** A fix whose work tree is gone cannot go on, and nothing of it can be undone: it is set aside, so that it can be removed. */
async function refuseWithoutTree({ engine, command }: Workplace, { id, source, status }: RunRecord): Promise<void> {
  if (source === undefined || !isFixFolderGone(source)) return;
  const message =
    `The work tree of run ${id} is gone: ${dirname(source)} no longer exists. A restart or a cleanup of temporary files may have removed it. ` +
    'The work in it is lost, and the run cannot continue.';
  if (status !== 'stalled') await setAside(engine, { id, attention: message });
  const prune = command('prune', '--agent', 'fix', '--status', 'stalled', '--older', '0s');
  const next = `Start again with flyball fix. See which runs can be removed, and remove them with --yes: ${prune}`;
  throw new FlyballError('RUN_STALLED', message, { detail: { runId: id, next } });
}

async function setAside(
  engine: Workplace['engine'],
  { id, attention }: { readonly id: string; readonly attention: string },
): Promise<void> {
  const host = nodeHost();
  const now = Date.now();
  const claim = await engine.claim(id, { owner: host.owner(), now, leaseMs: LEASE_MS, isGone: host.isGone });
  await engine.release(claim, { status: 'stalled', attention, code: 'RUN_STALLED', now: Date.now() });
}

const LEASE_MS = 15_000;

const CONTINUE_IN_PROGRAM =
  'Start the program that started it: its runtime continues the run. Or call runtime.resume(id) there.';

async function moduleOf(record: RunRecord, place: Pick<Place, 'database' | 'address'>): Promise<AgentModule> {
  if (record.source !== undefined) return withServed(await loadForRun(record.source, place), record.agent);
  throw new FlyballError(
    'AGENT_UNKNOWN',
    `Run ${record.id} was not started from a file, so this command cannot load its agent "${record.agent}".`,
    { detail: { next: CONTINUE_IN_PROGRAM } },
  );
}

/** A package may run the agents of a file in ways of its own: a server does. */
async function withServed(module: AgentModule, agent: string): Promise<AgentModule> {
  if (module.agents[agent] !== undefined) return module;
  for (const { agentsOf } of (await commandPackages()).values()) {
    const more = await agentsOf?.(module.group, agent);
    if (more !== undefined) return { ...module, agents: { ...more, ...module.agents } };
  }
  return module;
}

/** The agent file of a run that exists: what is wrong with the file is not the end of the run. */
export async function loadForRun(source: string, place: Pick<Place, 'database' | 'address'>): Promise<AgentModule> {
  try {
    return await loadAgentModule(source, process.env, filesOf(place));
  } catch (error) {
    if (!(error instanceof FlyballError)) throw error;
    const { code, message, retryable, detail } = error;
    throw new FlyballError(code, message, {
      retryable,
      detail: { ...detail, file: source, exists: true },
      cause: error,
    });
  }
}

const ENDED: readonly RunStatus[] = ['done', 'degraded', 'blocked', 'cancelled', 'failed'];

/** The agent is needed only if the run can go on: one that has ended says so first, in the runtime's own words. */
export async function refuseEnded(desk: Runtime, { id, status }: RunRecord): Promise<void> {
  if (ENDED.includes(status)) await desk.resume(id);
}

function whyNotHere(record: RunRecord, { wakes, wake, runId }: Steering, { command }: Workplace): string | undefined {
  const owner = liveOwner(record);
  if (owner !== undefined) return `Process ${owner.pid} on ${owner.host} is running it and will pick this up.`;
  if (!wakes.includes(record.status))
    return `The run is ${record.status}. This takes effect when it is resumed: ${command('resume', runId)}`;
  if (record.source === undefined) return 'The program that started the run will pick this up when it runs again.';
  if (!wake) return 'The next process that runs it will pick this up.';
  return undefined;
}
