import { budget } from 'flyball';

/** No benchmark is about reaching a bound. */
export const wideBudget = budget({
  iterations: 1e9,
  modelCalls: 1e9,
  toolCalls: 1e9,
  tokensIn: 1e12,
  tokensOut: 1e12,
  costUsd: 1e9,
  wallMs: 1e9,
  filesChanged: 1e9,
  linesChanged: 1e9,
  width: 1e6,
  depth: 1e3,
  noProgress: 1e9,
});
