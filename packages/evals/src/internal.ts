/** What the other packages of this project use and nobody else should: it changes with any release. */
export { OnlineState } from './online/online-eval.js';
export { POLICY_DOMAINS } from './policies/policy-domains.js';
export { rowOrder } from './reports/row-order.js';
export { GrepIndex, GrepQuery } from './tau2/grep.js';
