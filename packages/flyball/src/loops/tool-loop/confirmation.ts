/** The question that asks a model to check its answer before it is accepted. */
export const CONFIRMATION = [
  'Before this answer is accepted, check two things:',
  '1. Is every part of the task done?',
  '2. Have you verified the results, for instance by reading back what you wrote?',
  'If something is missing, continue working. If all is done and verified, state your final answer again in full.',
].join('\n');
