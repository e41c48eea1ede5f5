/** Runs the claims that the command line names, and prints the ids of those that do not hold, one a line. */
import { cardClaims } from '../../packages/evals/src/lab/claims/cards.js';
import { CLAIMS, claimsNamed } from '../../packages/evals/src/lab/registry.js';
import { runClaims } from '../../packages/evals/src/lab/run-claims.js';
import { agentCard } from '../../packages/server/src/card/agent-card.js';
import { discover } from '../../packages/server/src/card/discover.js';

const [items = '300', ...names] = process.argv.slice(2);
for (const claim of claimsNamed(names, [...CLAIMS, ...cardClaims({ agentCard, discover })])) {
  const [row] = await runClaims([claim], { items: Number(items), seed: 1 });
  console.log(`${row?.holds === true ? 'holds' : 'fails'} ${claim.id}`);
}
