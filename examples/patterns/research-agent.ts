import type { Embedder, Session, ToolRef } from 'flyball';
import {
  compression,
  lookupTool,
  planAndSolve,
  pruning,
  rag,
  reAct,
  shaped,
  withBudget,
  withQueryRewriting,
} from 'flyball/patterns';
import { z } from 'zod';

/**
 * A research agent of eight patterns: it plans, reads what it finds for each step, and reports. What it will use once it
 * is there: a persona (S3), workers that an orchestrator briefs (O6), a check of each claim (R20), and a last turn that
 * hands over what there is when the money is spent (Y4). Until then a plan stands in for the orchestrator, and the budget
 * ends the run with what it has.
 */

export const Fact = z.strictObject({ claim: z.string(), source: z.string() });
export const Report = z.strictObject({ summary: z.string(), sources: z.array(z.string()) });

/** The models and tools it works with. */
export interface ResearchParts {
  readonly embedder: Embedder;
  /** Rewrites, summarizes, answers from passages. */
  readonly small: Session;
  /** Reads. */
  readonly strong: Session;
  readonly planner: Session;
  readonly writer: Session;
  readonly webFetch: ToolRef;
}

// #region research
export function researchAgent({ embedder, small, strong, planner, writer, webFetch }: ResearchParts) {
  const library = rag({ embedder, answerer: small }, { limit: 6 });
  const sources = withQueryRewriting(library, { rewriter: small }, { how: 'multi' });
  const reader = reAct(
    {
      worker: shaped(strong, Fact),
      tools: [lookupTool(sources), webFetch],
      window: [pruning(), compression({ summarizer: small }, { maxTokens: 60_000 })],
    },
    { maxIterations: 12 },
  ); // Agent<Input, Fact>
  const reporter = shaped(writer, Report); // Session<Report>
  const team = planAndSolve({ planner, worker: reader, answerer: reporter }, { maxReplans: 1 }); // Agent<string, Report>
  const research = withBudget(team, { costUsd: 4 }); // Agent<string, Report>
  return { library, reader, reporter, team, research };
}
// #endregion
