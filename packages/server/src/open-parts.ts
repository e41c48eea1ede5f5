import type { Clock, Dispatcher, Engine, Host, RuntimeOptions, Store } from 'flyball';
import { ConfigError, createRuntime, nodeHost } from 'flyball';
import type { AgentGroup } from 'flyball/command';
import { joinSeams } from 'flyball/tools';
import type { ApiKeys } from './access/api-keys.js';
import { cursorSeal } from './access/cursor-seal.js';
import { openSpending } from './access/stored-spending.js';
import { type AgentDirectory, agentDirectory } from './agents/agent-directory.js';
import { Backlog } from './agents/backlog.js';
import { openContents } from './agents/contents.js';
import { type Fleet, fleetOf, type Member } from './agents/fleet.js';
import { injectionGuard } from './agents/input-guard.js';
import { runAgents, toolRunName } from './agents/run-agents.js';
import { servedName, TOOL_RUN } from './agents/served-agent.js';
import { settleEndedRuns } from './agents/settlement.js';
import { openRunFeed } from './feed/open-run-feed.js';
import { Inboxes } from './inboxes.js';
import type { Log } from './log.js';
import { openMetrics } from './metrics/metrics.js';
import type { Parts } from './parts.js';
import type { Phases } from './pipeline.js';
import { openRunLog, type RunLog } from './run-log.js';
import type { ServerSettings } from './settings.js';
import { openTriggers, type Triggers } from './triggers/open-triggers.js';
import { startTriggered, triggerCheck } from './triggers/start-triggered.js';
import type { Trigger } from './triggers/trigger.js';
import { openWire } from './wire.js';

export interface PartsGiven {
  readonly engine: Engine;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly groups: readonly AgentGroup[];
  readonly settings: ServerSettings;
  readonly keys: ApiKeys;
  readonly triggers: readonly Trigger[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly phases: Phases;
  readonly dispatcher: Dispatcher | undefined;
}

/** Everything that handlers are made of, running. */
export async function openParts(given: PartsGiven): Promise<Parts> {
  const { engine, store, clock, log, settings, keys, phases } = given;
  const directory = agentDirectory(given.groups);
  refuseUnknownAgents(settings, directory);
  const host = nodeHost();
  const runLog = openRunLog({ log, clock });
  const fleet = openFleet(given, directory, host, runLog);
  runLog.follow(fleet);
  const spending = openSpending(store, clock);
  const feed = openRunFeed({ fleet, clock, log, directory, secrets: settings.secrets });
  const settlement = settleEndedRuns({ fleet, feed, spending, clock, log });
  let triggersOpen: Triggers | undefined;
  const metrics = openMetrics({
    ...{ engine, fleet, feed, clock, host, directory },
    triggers: () => triggersOpen,
    version: settings.version,
  });
  runLog.onStalled = (runId, code) => metrics.stalled(runId, code);
  runLog.onLost = () => metrics.lost();
  const inboxes = new Inboxes({ fleet, store, clock, me: host.owner().id });
  const drained = onlyOnce(() => fleet.close({ drainMs: settings.drainMs }));
  const close = async (): Promise<void> => {
    await drained();
    metrics.close();
    feed.close();
    inboxes.close();
    await settlement.close(); // runs may have ended while the others were given back
    await runLog.close();
  };
  const contents = openContents({ store, clock, log });
  const backlog = new Backlog({ engine, clock, maxQueue: settings.maxQueue });
  const triggers = await openTriggers(
    {
      start: startTriggered({ directory, fleet, spending, settings, contents, backlog }),
      check: triggerCheck({ directory }),
      store,
      clock,
      log,
      env: given.env,
    },
    settings.role === 'worker' ? [] : given.triggers,
  ).catch(async (error: unknown) => {
    await close(); // runs are at work already
    throw error;
  });
  triggersOpen = triggers;
  return {
    ...{ settings, engine, store, clock, host, log, directory, fleet, feed, metrics, keys, spending, phases, triggers },
    contents,
    backlog,
    wire: openWire(settings.secrets),
    dispatcherPage: given.dispatcher?.page,
    isCallable: () => settings.role === 'api' || given.dispatcher?.isCallable?.() !== false,
    cursors: cursorSeal(store, clock),
    inbox: (tenant) => inboxes.of(tenant),
    async drain() {
      await triggers.close();
      await drained();
    },
    async close() {
      await triggers.close();
      await close();
    },
  };
}

export function onlyOnce(work: () => Promise<void>): () => Promise<void> {
  let working: Promise<void> | undefined;
  return () => {
    working ??= work();
    return working;
  };
}

/** What runs of a server are for, by what was set. An agent is run under several names. */
function workerFor(settings: ServerSettings, agents: readonly string[]): RuntimeOptions['worker'] {
  const { role, worksOn, concurrency, weight } = settings;
  if (role === 'api') return 'elsewhere';
  const own = worksOn.length === 0 ? agents : agents.filter((name) => isAmong(worksOn, name));
  return { agents: own, weight, concurrency };
}

/** Direct calls of tools are worked on wherever they are made. */
function isAmong(worksOn: readonly string[], name: string): boolean {
  const { agent } = servedName(name);
  return agent === TOOL_RUN || worksOn.includes(agent);
}

/** A name that nobody has would leave runs in line for ever. */
function refuseUnknownAgents({ worksOn }: ServerSettings, directory: AgentDirectory): void {
  const unknown = worksOn.find((name) => directory.get(name) === undefined);
  if (unknown === undefined) return;
  const known = directory.list().map(({ name }) => name);
  throw new ConfigError(`This server does not have the agent "${unknown}". Available agents: ${known.join(', ')}.`);
}

function openFleet(
  { engine, clock, log, groups, settings, keys, dispatcher }: PartsGiven,
  directory: AgentDirectory,
  host: Host,
  runLog: RunLog,
): Fleet {
  const { stalled: onStalled, lost: onLost } = runLog;
  const onProblem = (error: unknown, doing: string): void => log.error(doing, error);
  // asked each time: the first key, also one made by another process, ends the time in which everybody is one person
  const whileNoKey = async (): Promise<boolean> => !(await keys.any());
  const requesterDecides = settings.requesterDecides || (settings.open && whileNoKey);
  const common = { engine, clock, host, onProblem, ...(dispatcher === undefined ? {} : { dispatcher }) };
  const members = groups.map((group, index): Member => {
    const agents = runAgents(
      group,
      directory.list().filter((agent) => agent.group === group),
      toolRunName(index),
    );
    const runtime = createRuntime({
      ...common,
      agents,
      onStalled,
      onLost,
      seams: joinSeams(group.seams ?? {}, injectionGuard(settings.inputScan)),
      ...(group.prices === undefined ? {} : { prices: group.prices }),
      options: { requesterDecides, ...group.options, worker: workerFor(settings, Object.keys(agents)) },
    });
    return { runtime, agents: Object.keys(agents) };
  });
  const desk = createRuntime({ ...common, agents: {}, options: { worker: false } });
  return fleetOf(members, desk);
}
