/** Patterns of orchestration: how several agents work on one task. */

export { type UntilApprovedOptions, type UntilApprovedParts, untilApproved } from '../../revision/until-approved.js';
export { type WithReviewersOptions, type WithReviewersParts, withReviewers } from '../../revision/with-reviewers.js';
export { type IsolatedOptions, type IsolatedParts, isolated } from './isolated.js';
export { type MapReduceOptions, type MapReduceParts, mapReduce, type VoteParts } from './map-reduce.js';
