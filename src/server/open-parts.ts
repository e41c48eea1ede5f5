import { nodeHost } from '../adapters/host-node/node-host.js';
import { joinSeams } from '../core/join-seams.js';
import { createRuntime } from '../create-runtime.js';
import { type ApprovalInbox, approvalInbox } from '../people/approval-inbox.js';
import type { Clock } from '../ports/clock.js';
import type { Engine } from '../ports/engine.js';
import type { Store } from '../ports/store.js';
import type { ApiKeys } from './access/api-keys.js';
import { openSpending } from './access/stored-spending.js';
import { type AgentDirectory, agentDirectory } from './agents/agent-directory.js';
import type { AgentGroup } from './agents/agent-group.js';
import { type Fleet, fleetOf, type Member } from './agents/fleet.js';
import { injectionGuard } from './agents/input-guard.js';
import { runAgents, toolRunName } from './agents/run-agents.js';
import { settleEndedRuns } from './agents/settlement.js';
import { openRunFeed } from './feed/open-run-feed.js';
import type { Log } from './log.js';
import { openMetrics } from './metrics/metrics.js';
import type { Parts } from './parts.js';
import type { ServerSettings } from './settings.js';
import { openTriggers } from './triggers/open-triggers.js';
import { startTriggered, triggerCheck } from './triggers/start-triggered.js';
import type { Trigger } from './triggers/trigger.js';

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
  readonly closing: AbortSignal;
}

/** Everything that handlers are made of, running. */
export async function openParts(given: PartsGiven): Promise<Parts> {
  const { engine, store, clock, log, settings, keys, closing } = given;
  const directory = agentDirectory(given.groups);
  const fleet = openFleet(given, directory);
  const spending = openSpending(store, clock);
  const feed = openRunFeed({ fleet, clock, log, directory, secrets: settings.secrets });
  const settlement = settleEndedRuns({ fleet, feed, spending, clock, log });
  const metrics = openMetrics({ fleet, feed, clock, directory });
  const inboxes = new Inboxes({ fleet, store, clock });
  const base = { settings, engine, store, clock, log, directory, fleet, feed, metrics, keys, spending, closing };
  const triggers = await openTriggers(
    {
      start: startTriggered({ directory, fleet, spending, settings }),
      check: triggerCheck({ directory }),
      store,
      clock,
      log,
      env: given.env,
    },
    given.triggers,
  );
  return {
    ...base,
    triggers,
    inbox: (tenant) => inboxes.of(tenant),
    async close() {
      await triggers.close();
      metrics.close();
      feed.close();
      inboxes.close();
      await fleet.close({ drainMs: settings.drainMs });
      await settlement.close(); // runs may have ended while the others were given back
    },
  };
}

function openFleet({ engine, clock, log, groups }: PartsGiven, directory: AgentDirectory): Fleet {
  const onProblem = (error: unknown, doing: string): void => log.error(doing, error);
  const host = nodeHost();
  const members = groups.map((group, index): Member => {
    const agents = runAgents(
      group,
      directory.list().filter((agent) => agent.group === group),
      toolRunName(index),
    );
    const runtime = createRuntime({
      engine,
      clock,
      host,
      agents,
      onProblem,
      seams: joinSeams(group.seams ?? {}, injectionGuard()),
      ...(group.prices === undefined ? {} : { prices: group.prices }),
      options: { ...group.options, worker: true },
    });
    return { runtime, agents: Object.keys(agents) };
  });
  const desk = createRuntime({ engine, clock, host, agents: {}, onProblem, options: { worker: false } });
  return fleetOf(members, desk);
}

/** One inbox a tenant, each over that tenant's runs only. */
class Inboxes {
  private readonly parts: { readonly fleet: Fleet; readonly store: Store; readonly clock: Clock };
  private readonly open = new Map<string, Promise<ApprovalInbox>>();

  constructor(parts: { readonly fleet: Fleet; readonly store: Store; readonly clock: Clock }) {
    this.parts = parts;
  }

  of(tenant: string): Promise<ApprovalInbox> {
    const known = this.open.get(tenant);
    if (known !== undefined) return known;
    const opened = this.start(tenant);
    this.open.set(tenant, opened);
    opened.catch(() => this.open.delete(tenant)); // whoever asks next tries again
    return opened;
  }

  close(): void {
    for (const opened of this.open.values())
      opened.then(
        (inbox) => inbox.close(),
        () => undefined, // it never opened: there is nothing to close
      );
  }

  private async start(tenant: string): Promise<ApprovalInbox> {
    const { fleet, store, clock } = this.parts;
    const inbox = approvalInbox({ runtime: fleet, store, clock, tenant });
    await inbox.sync();
    return inbox;
  }
}
