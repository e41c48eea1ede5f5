/** What the other packages of this project use and nobody else should: it changes with any release. */
export type { OnlineState } from './online/online-eval.js';
export { rowOrder } from './reports/row-order.js';
