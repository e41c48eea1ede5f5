import type { DispatcherPackage } from 'flyball/command';
import { optionsIn } from './address.js';
import { restateDispatcher } from './dispatcher.js';

const open: DispatcherPackage['dispatchers'][string] = async (address, onProblem) =>
  restateDispatcher({ ...optionsIn(address), onProblem });

/** For `--dispatcher` and FLYBALL_DISPATCHER. */
export const dispatchers: DispatcherPackage['dispatchers'] = { restate: open, restates: open };
