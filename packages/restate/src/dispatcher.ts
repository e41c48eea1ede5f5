import type { Dispatcher, Driver } from 'flyball';
import { Deliveries } from './deliveries.js';
import { Drivers } from './drivers.js';
import { type Endpoint, openEndpoint } from './endpoint.js';
import { addressOf, isAtWork } from './neighbors.js';
import { completePromise } from './node20.js';
import { type RestateOptions, settle } from './options.js';
import { Registration } from './registration.js';
import { sweep } from './sweep.js';

/** Restate as the dispatcher of a runtime. */
export interface RestateDispatcher extends Dispatcher {
  attend(driver: Driver): () => void;
  /**
   * Resolves when this process listens for Restate and has tried to register; immediately if it works on no runs. Rejects
   * if it cannot listen.
   */
  ready(): Promise<void>;
  /** Close the runtimes first. */
  close(): Promise<void>;
}

/** Has Restate decide which process works on a run. Pass it to `createRuntime` as `dispatcher`. */
export function restateDispatcher(options: RestateOptions): RestateDispatcher {
  const settings = settle(options);
  completePromise();
  const drivers = new Drivers();
  const deliveries = new Deliveries(settings);
  let opening: Promise<{ readonly endpoint: Endpoint; close(): Promise<void> }> | undefined;

  const open = async () => {
    const endpoint = await openEndpoint(settings, drivers);
    const registration = new Registration(settings, settings.address ?? endpoint.url);
    deliveries.onUnknown = () => void registration.begin();
    const stopSweeping = sweep(settings, drivers, deliveries);
    await registration.begin();
    return {
      endpoint,
      async close() {
        stopSweeping();
        await registration.close();
        await endpoint.close();
      },
    };
  };

  return {
    dispatch: (runId) => deliveries.send(runId),
    address: addressOf(settings),
    page: settings.ui,
    isAtWork,
    attend(driver) {
      const leave = drivers.add(driver);
      opening ??= open();
      opening.catch((error: unknown) => settings.onProblem(error, 'listening for Restate'));
      return leave;
    },
    async ready() {
      await opening;
    },
    async close() {
      deliveries.close();
      const opened = await opening?.catch(() => undefined);
      await opened?.close();
    },
  };
}
