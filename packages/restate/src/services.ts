import { type ObjectContext, object, type Serde, serde } from '@restatedev/restate-sdk';
import type { Driven, Drivers } from './drivers.js';
import { type Asked, type Limit, limitsFor, limitsService } from './limits.js';
import type { Settings } from './options.js';
import { BRIEF, LONG } from './service-options.js';

/** What a call to drive a run is told. Somebody else than us may call, with anything that is JSON or with nothing. */
export interface Turn {
  /** The date of the timer that calls. */
  readonly timer?: number;
}

/** Its type says that one of its properties may be undefined, which our compiler tells from absent. */
function json<T>(): Serde<T> {
  return serde.json as unknown as Serde<T>;
}

/** Names of our services and of what they offer. */
export function namesOf({ name }: Pick<Settings, 'name'>) {
  return { runs: `${name}-runs`, turns: `${name}-turns`, limits: `${name}-limits` };
}

/** The service, and what it offers, that runs are handed to. */
export function entranceOf(settings: Settings): { readonly service: string; readonly handler: string } {
  const names = namesOf(settings);
  const isLimited = Object.keys(settings.tenants).length + Object.keys(settings.agents).length > 0;
  return isLimited ? { service: names.turns, handler: 'wait' } : { service: names.runs, handler: 'drive' };
}

export function servicesOf(settings: Settings, drivers: Drivers) {
  const names = namesOf(settings);
  return [runsService(settings, drivers), turnsService(settings, drivers), limitsService(names.limits)];
}

/** One object for each run, which Restate lets only one call at a time work on. It tries again elsewhere what fails or dies. */
function runsService(settings: Settings, drivers: Drivers) {
  const entrance = entranceOf(settings);
  return object({
    name: namesOf(settings).runs,
    // where places are waited for, nobody is let in beside the line
    options: entrance.service === namesOf(settings).runs ? LONG : { ...LONG, ingressPrivate: true },
    handlers: {
      drive: async (run: ObjectContext, told?: Turn | null) => {
        const timer = told?.timer;
        const armed = (await run.get<number>('armed')) ?? undefined;
        const isArmed = armed !== undefined && armed !== timer;
        // kept by Restate: whoever repeats what follows after a crash goes by the same answer
        const { status, wakeAt, now } = await run.run('drive', () => drivers.drive(run.key));
        // a timer that comes no later is enough, or each message to a sleeping run would leave one more behind
        if (wakeAt !== undefined && !(isArmed && armed <= wakeAt)) {
          run.genericSend({
            service: entrance.service,
            method: entrance.handler,
            key: run.key,
            parameter: { timer: wakeAt },
            inputSerde: json(),
            delay: Math.max(1, wakeAt - now),
          });
          run.set('armed', wakeAt);
        } else if (!isArmed && armed !== undefined) run.clear('armed');
        return status;
      },
    },
  });
}

/** Waits for a place under each limit that holds for a run, has it driven, and gives the places back. */
function turnsService(settings: Settings, drivers: Drivers) {
  const names = namesOf(settings);
  return object({
    name: names.turns,
    options: BRIEF,
    handlers: {
      wait: async (turn: ObjectContext, told?: Turn | null) => {
        const limits = await turn.run('limits', () => limitsOf(turn.key, settings, drivers));
        const by = turn.rand.uuidv4();
        const asked: Limit[] = [];
        const tell = (limit: Limit, method: 'take' | 'give', parameter: Omit<Asked, 'bell'>): void =>
          void turn.genericSend({ service: names.limits, key: limit.name, method, parameter, inputSerde: json() });
        try {
          for (const limit of limits) {
            const { id: bell, promise } = turn.awakeable();
            asked.push(limit);
            tell(limit, 'take', { by, bell, most: limit.most } as Asked);
            await promise;
          }
          return await turn.genericCall<Turn, Driven['status']>({
            service: names.runs,
            method: 'drive',
            key: turn.key,
            parameter: told ?? {},
            inputSerde: json(),
            outputSerde: json(),
          });
        } finally {
          // also where somebody cancels the call by the means of Restate
          for (const limit of asked) tell(limit, 'give', { by, most: limit.most });
        }
      },
    },
  });
}

async function limitsOf(runId: string, settings: Settings, drivers: Drivers): Promise<Limit[]> {
  const record = await drivers.find(runId);
  return record === undefined ? [] : [...limitsFor(record, settings)];
}
