import type { Dispatcher, Driver } from 'flyball';
import { Admin } from './admin.js';
import { Callee } from './callee.js';
import { Deliveries } from './deliveries.js';
import { Drivers } from './drivers.js';
import { type Endpoint, openEndpoint, refuseWrongKeys } from './endpoint.js';
import { addressOf, isAtWork, newSecret } from './neighbors.js';
import { completePromise } from './node20.js';
import { type RestateOptions, settle } from './options.js';
import { Registration } from './registration.js';
import { overdueHandedTo, sweep } from './sweep.js';

/** Restate as the dispatcher of a runtime. */
export interface RestateDispatcher extends Dispatcher {
  attend(driver: Driver): () => void;
  /**
   * Resolves when this process has called Restate, and, if it works on runs, listens for Restate and has tried to register.
   * A Restate that does not answer is a problem for `onProblem`. Rejects if the process cannot listen.
   */
  ready(): Promise<void>;
  /** Close the runtimes first. */
  close(): Promise<void>;
}

/** Has Restate decide which process works on a run. Pass it to `createRuntime` as `dispatcher`. */
export function restateDispatcher(options: RestateOptions): RestateDispatcher {
  const settings = settle(options);
  completePromise();
  refuseWrongKeys(settings);
  const drivers = new Drivers();
  const secret = newSecret();
  const deliveries = new Deliveries(settings);
  let registration: Registration | undefined;
  let opening: Promise<{ readonly endpoint: Endpoint; close(): Promise<void> }> | undefined;

  const open = async () => {
    const endpoint = await openEndpoint(settings, drivers, secret);
    const closing = new AbortController();
    const admin = new Admin(settings, closing.signal);
    const address = settings.address ?? endpoint.url;
    const registering = new Registration(settings, admin, address);
    const callee = new Callee(settings, admin, address);
    registration = registering;
    deliveries.onUnknown = () => void registering.begin();
    const handing = sweep(settings, overdueHandedTo(deliveries, settings, drivers));
    const looking = sweep(settings, () => callee.look());
    await registering.begin();
    void looking.now();
    return {
      endpoint,
      async close() {
        closing.abort();
        await Promise.all([handing.close(), looking.close(), registering.close()]);
        await endpoint.close();
      },
    };
  };

  return {
    dispatch: (runId) => deliveries.send(runId),
    address: addressOf(settings, secret),
    page: settings.ui,
    isAtWork,
    isCallable: () => opening === undefined || registration?.hasSucceeded === true,
    attend(driver) {
      const leave = drivers.add(driver);
      opening ??= open();
      opening.catch((error: unknown) => settings.onProblem(error, 'listening for Restate'));
      return leave;
    },
    async ready() {
      await opening;
      // where it could not register, it has said so
      if (registration?.hasSucceeded !== false) await deliveries.check();
    },
    async close() {
      deliveries.close();
      const opened = await opening?.catch(() => undefined);
      await opened?.close();
    },
  };
}
