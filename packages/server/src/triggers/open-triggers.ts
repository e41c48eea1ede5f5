import { ConfigError } from 'flyball';
import { CronClock } from './cron.js';
import { openSchedule } from './schedule.js';
import { signedBy } from './signature.js';
import type { CronTrigger, Trigger } from './trigger.js';
import type { TriggerParts, TriggerState } from './trigger-parts.js';
import { type HookAnswer, type HookRequest, unsigned, Webhook } from './webhook.js';

/** The triggers of a server. */
export interface Triggers {
  /** How they stand: all of them, or those of one tenant. */
  list(tenant?: string): Promise<readonly TriggerState[]>;
  /** A request to a hook. Rejects with a Problem that says what was wrong with it. */
  hook(name: string, request: HookRequest): Promise<HookAnswer>;
  /** Nothing is started from here any more; what is being started is waited for. */
  close(): Promise<void>;
}

/** Starts triggers. All of them are checked first. */
export async function openTriggers(parts: TriggerParts, triggers: readonly Trigger[]): Promise<Triggers> {
  const twice = triggers.find(({ name }, index) => triggers.findIndex((other) => other.name === name) !== index);
  if (twice !== undefined) throw new ConfigError(`Two triggers have the name "${twice.name}". Rename one of them.`);
  for (const trigger of triggers) parts.check?.(trigger);
  const hooks = new Map<string, Webhook>();
  for (const trigger of triggers) if (trigger.kind === 'webhook') hooks.set(trigger.name, new Webhook(parts, trigger));
  const clocks = new Map<string, CronClock>();
  for (const trigger of triggers)
    if (trigger.kind === 'cron') clocks.set(trigger.name, await cronClock(parts, trigger));
  await Promise.all([...clocks.values()].map((clock) => clock.open()));
  const inOrder = triggers.flatMap(({ name, tenant = 'default' }) => {
    const open = hooks.get(name) ?? clocks.get(name);
    return open === undefined ? [] : [{ tenant, open }];
  });

  return {
    list: (tenant) =>
      Promise.all(
        inOrder.filter((each) => tenant === undefined || each.tenant === tenant).map(({ open }) => open.state()),
      ),
    async hook(name, request) {
      const hook = hooks.get(name);
      if (hook !== undefined) return hook.take(request);
      signedBy(['a hook that is not there takes as long'], 'flyball', request);
      throw unsigned();
    },
    async close() {
      await Promise.all([...clocks.values()].map((clock) => clock.close()));
    },
  };
}

async function cronClock(parts: TriggerParts, trigger: CronTrigger): Promise<CronClock> {
  return new CronClock(parts, trigger, await openSchedule(trigger));
}
