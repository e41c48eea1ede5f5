export { type RestateDispatcher, restateDispatcher } from './dispatcher.js';
export type { RestateLimits, RestateOptions } from './options.js';
