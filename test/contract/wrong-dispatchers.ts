import type { Dispatcher, Driver } from 'flyball';
import type { Broker } from '../../examples/own-dispatcher.js';

type Joined = ReturnType<Broker['join']>;

/** A dispatching system that is wrong in one way, as a first attempt at one may be. */
export interface WrongDispatcher {
  readonly what: string;
  /** Of the tests of the contract that find it. */
  readonly titles: readonly string[];
  /** What its processes are given in the place of what they are given by a broker that is right. One for all of a system. */
  open(): (joined: Joined) => Joined;
}

type Drive = (runId: string, driver: Driver) => ReturnType<Driver['drive']>;

/** A driver with another `drive`, or something else of its own. */
function instead(driver: Driver, drive: Drive, given: Partial<Driver> = {}): Driver {
  return {
    agents: driver.agents,
    drive: (runId) => drive(runId, driver),
    has: (runId) => driver.has(runId),
    get: (runId) => driver.get(runId),
    overdue: (query) => driver.overdue(query),
    ...given,
  };
}

const driving =
  (drive: (dispatcher: Dispatcher) => Drive, given: Partial<Driver> = {}): WrongDispatcher['open'] =>
  () =>
  ({ dispatcher, die }) => ({
    dispatcher: {
      ...dispatcher,
      attend: (driver) => dispatcher.attend?.(instead(driver, drive(dispatcher), given)) ?? (() => undefined),
    },
    die,
  });

const NO_RUNS: Partial<Driver> = { overdue: async () => ({ runs: [] }) };
const own: Drive = (runId, driver) => driver.drive(runId);
const SLEPT = 'has a run that sleeps driven again when its time comes, and not again and again before';
const HANDED_LATE =
  'has a run driven again that it is handed when a call has decided how the run rests, and has not answered';

export const WRONG_DISPATCHERS: readonly WrongDispatcher[] = [
  {
    what: 'it is told of a run by its own process only',
    titles: ['has a run driven to its end that was started in a process that works on none'],
    open: () => (joined) => {
      let isCalled = false;
      return {
        ...joined,
        dispatcher: {
          attend: (driver) => {
            isCalled = true;
            return joined.dispatcher.attend?.(driver) ?? (() => undefined);
          },
          dispatch: async (runId) => (isCalled ? joined.dispatcher.dispatch(runId) : undefined),
        },
      };
    },
  },
  {
    what: 'it forgets what it is handed while nobody attends',
    titles: ['has driven what was dispatched before anybody attended, once somebody does'],
    open: () => {
      let attending = 0;
      return ({ dispatcher, die }) => ({
        die,
        dispatcher: {
          attend: (driver) => {
            attending += 1;
            return dispatcher.attend?.(driver) ?? (() => undefined);
          },
          dispatch: async (runId) => (attending > 0 ? dispatcher.dispatch(runId) : undefined),
        },
      });
    },
  },
  {
    what: 'it resolves before what it was handed has left the process, and never asks which runs are overdue',
    titles: ['loses nothing that it was handed by a process that died right after'],
    open:
      () =>
      ({ dispatcher, die }) => {
        let isDead = false;
        return {
          dispatcher: {
            attend: (driver) => dispatcher.attend?.(instead(driver, own, NO_RUNS)) ?? (() => undefined),
            dispatch: async (runId) => void setTimeout(() => (isDead ? undefined : dispatcher.dispatch(runId)), 100),
          },
          die: () => {
            isDead = true;
            die();
          },
        };
      },
  },
  {
    what: 'it takes each run only once',
    titles: [
      'has a waiting run driven that is sent a signal',
      'has a waiting run driven that is cancelled',
      'has a paused run driven that is resumed',
    ],
    open: () => {
      const known = new Set<string>();
      return ({ dispatcher, die }) => ({
        die,
        dispatcher: {
          ...dispatcher,
          dispatch: async (runId) => (known.has(runId) ? undefined : dispatcher.dispatch(known.add(runId) && runId)),
        },
      });
    },
  },
  {
    what: 'it calls the process that came first, for whatever run',
    titles: [
      'has runs driven by processes that have their agents',
      'calls another process where one refuses what is better off elsewhere',
    ],
    open: () => {
      let isFirst = true;
      return ({ dispatcher, die }) => ({
        die,
        dispatcher: {
          ...dispatcher,
          attend: (driver) => {
            const leave = isFirst ? dispatcher.attend?.(driver) : undefined;
            isFirst = false;
            return leave ?? (() => undefined);
          },
        },
      });
    },
  },
  {
    what: 'its queue has room for twenty',
    titles: ['has many runs driven at once, more than its processes have room for'],
    open: () => {
      const queued = new Set<string>();
      return ({ dispatcher, die }) => ({
        die,
        dispatcher: {
          ...dispatcher,
          dispatch: async (runId) => (queued.add(runId).size > 20 ? undefined : dispatcher.dispatch(runId)),
        },
      });
    },
  },
  {
    what: 'it never asks which runs are overdue',
    titles: ['finds a run that nobody told it of'],
    open: driving(() => own, NO_RUNS),
  },
  {
    what: 'it does not look at the time until which a run sleeps',
    titles: [SLEPT],
    open: driving(() => async (runId, driver) => ({ status: (await driver.drive(runId)).status })),
  },
  {
    what: 'it polls runs that sleep',
    titles: [SLEPT],
    open: driving(() => async (runId, driver) => {
      const { wakeAt, ...rested } = await driver.drive(runId);
      return wakeAt === undefined ? rested : { ...rested, wakeAt: Date.now() + 10 };
    }),
  },
  {
    what: 'it keeps timers in the process that fell asleep',
    titles: ['has a run that sleeps driven again also where the process in which it fell asleep has died'],
    open: () => {
      const lost = new Set<string>();
      return ({ dispatcher, die }) => {
        const slept = new Set<string>();
        const drive: Drive = async (runId, driver) => {
          if (lost.has(runId)) return { status: 'suspended' };
          slept.add(runId);
          return driver.drive(runId);
        };
        return {
          dispatcher: {
            ...dispatcher,
            attend: (driver) => dispatcher.attend?.(instead(driver, drive, NO_RUNS)) ?? (() => undefined),
          },
          die: () => {
            for (const runId of slept) lost.add(runId);
            die();
          },
        };
      };
    },
  },
  {
    what: 'it forgets what it is handed for a run that is being driven',
    titles: [HANDED_LATE],
    open: () => {
      const driven = new Set<string>();
      return ({ dispatcher, die }) => ({
        die,
        dispatcher: {
          dispatch: async (runId) => (driven.has(runId) ? undefined : dispatcher.dispatch(runId)),
          attend: (driver) => {
            const drive: Drive = (runId) => {
              driven.add(runId);
              return driver.drive(runId).finally(() => driven.delete(runId));
            };
            return dispatcher.attend?.(instead(driver, drive)) ?? (() => undefined);
          },
        },
      });
    },
  },
  {
    what: 'it drives runs that have ended on and on',
    titles: ['calls nobody again and again for a run that has ended, or waits for a signal'],
    open: driving((dispatcher) => async (runId, driver) => {
      const rested = await driver.drive(runId);
      setTimeout(() => void dispatcher.dispatch(runId), 20);
      return rested;
    }),
  },
  {
    what: 'it does not make a call again that failed',
    titles: [
      'makes a call again that rejects',
      'calls another process where one refuses what is better off elsewhere',
      'has another process go on with what one gives back when it leaves',
    ],
    open: driving(() => (runId, driver) => driver.drive(runId).catch(() => ({ status: 'failed' }))),
  },
  {
    what: 'it waits for the answer of a process that died',
    titles: ['has another process go on where one died in the middle of a run'],
    open: () => (joined) => ({ ...joined, die: () => undefined }),
  },
  {
    what: 'it calls whoever is next, whoever works on the run',
    titles: ['leaves a run to the process that works on it, whatever comes for it meanwhile'],
    open: () => {
      const drivers: Driver[] = [];
      let turn = 0;
      return ({ dispatcher, die }) => ({
        die,
        dispatcher: {
          dispatch: async (runId) => void drivers[turn++ % drivers.length]?.drive(runId).catch(() => undefined),
          attend: (driver) => {
            drivers.push(driver);
            return dispatcher.attend?.(driver) ?? (() => undefined);
          },
        },
      });
    },
  },
  {
    what: 'it still calls those that have left',
    titles: ['calls a process no more that has left'],
    open:
      () =>
      ({ dispatcher, die }) => ({
        die,
        dispatcher: {
          ...dispatcher,
          attend: (driver) => {
            dispatcher.attend?.(driver);
            return () => undefined;
          },
        },
      }),
  },
];
