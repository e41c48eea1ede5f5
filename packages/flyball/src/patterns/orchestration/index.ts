/** Patterns of orchestration: how several agents work on one task. */
export { type UntilApprovedOptions, type UntilApprovedParts, untilApproved } from './until-approved.js';
