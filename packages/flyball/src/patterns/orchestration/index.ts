/** Patterns of orchestration: how several agents work on one task. */
export { type IsolatedOptions, type IsolatedParts, isolated } from './isolated.js';
export { type MapReduceOptions, type MapReduceParts, mapReduce, type VoteParts } from './map-reduce.js';
export { type UntilApprovedOptions, type UntilApprovedParts, untilApproved } from './until-approved.js';
export { type WithReviewersOptions, type WithReviewersParts, withReviewers } from './with-reviewers.js';
