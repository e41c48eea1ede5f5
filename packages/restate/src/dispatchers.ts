import type { DispatcherPackage } from 'flyball/command';
import { restateDispatcher } from './dispatcher.js';

const open: DispatcherPackage['dispatchers'][string] = async (address, onProblem) =>
  restateDispatcher({ url: address, onProblem });

/** For `--dispatcher` and FLYBALL_DISPATCHER. */
export const dispatchers: DispatcherPackage['dispatchers'] = { restate: open, restates: open };
