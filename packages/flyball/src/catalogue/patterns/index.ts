/** All patterns, in the order of the catalogue. */

import type { PatternSpec } from '../types.js';
import { h1 } from './h1-with-identity.js';
import { h2 } from './h2-with-lessons.js';
import { h3 } from './h3-with-curiosity.js';
import { h4 } from './h4-accumulate-skills.js';
import { h5 } from './h5-constitution.js';
import { h6 } from './h6-inner-monologue.js';
import { h7 } from './h7-with-style.js';
import { h8 } from './h8-self-tuning.js';
import { h9 } from './h9-track-record.js';
import { h10 } from './h10-with-relationship.js';
import { i1 } from './i1-direct-call.js';
import { i2 } from './i2-tool.js';
import { i3 } from './i3-open-mcp-pool.js';
import { i4 } from './i4-shell-tool.js';
import { i5 } from './i5-agent-card.js';
import { i6 } from './i6-remote-agent.js';
import { k1 } from './k1-rag.js';
import { k2 } from './k2-with-query-rewriting.js';
import { k3 } from './k3-graph-rag.js';
import { k4 } from './k4-raptor.js';
import { k5 } from './k5-adaptive-rag.js';
import { k6 } from './k6-compression.js';
import { k7 } from './k7-pruning.js';
import { k8 } from './k8-with-scratchpad.js';
import { k9 } from './k9-long-context.js';
import { k10 } from './k10-with-memory.js';
import { k11 } from './k11-with-observation-log.js';
import { k12 } from './k12-curated-notes.js';
import { k13 } from './k13-from-bundle.js';
import { o1 } from './o1-define-agent.js';
import { o2 } from './o2-sequence.js';
import { o3 } from './o3-router.js';
import { o4 } from './o4-map-reduce.js';
import { o5 } from './o5-until-approved.js';
import { o6 } from './o6-orchestrator.js';
import { o7 } from './o7-hierarchy.js';
import { o8 } from './o8-cycle.js';
import { o9 } from './o9-with-reviewers.js';
import { o10 } from './o10-swarm.js';
import { o11 } from './o11-blackboard.js';
import { o12 } from './o12-debate.js';
import { o13 } from './o13-negotiation.js';
import { o14 } from './o14-data-owners.js';
import { o15 } from './o15-handoff-tool.js';
import { o16 } from './o16-stages.js';
import { o17 } from './o17-isolated.js';
import { o18 } from './o18-warm-pool.js';
import { r1 } from './r1-chain-of-thought.js';
import { r2 } from './r2-chain-of-thought.js';
import { r3 } from './r3-plan-and-solve.js';
import { r4 } from './r4-re-act.js';
import { r5 } from './r5-rewoo.js';
import { r6 } from './r6-self-ask.js';
import { r7 } from './r7-reflexion.js';
import { r8 } from './r8-self-refine.js';
import { r9 } from './r9-tree-of-thoughts.js';
import { r10 } from './r10-lats.js';
import { r11 } from './r11-buffer-of-thoughts.js';
import { r12 } from './r12-skeleton-of-thought.js';
import { r13 } from './r13-code-act.js';
import { r14 } from './r14-program-of-thoughts.js';
import { r16 } from './r16-talker-reasoner.js';
import { r17 } from './r17-self-consistency.js';
import { r18 } from './r18-graph-of-thoughts.js';
import { r19 } from './r19-step-back.js';
import { r20 } from './r20-chain-of-verification.js';
import { s1 } from './s1-zero-shot.js';
import { s2 } from './s2-few-shot.js';
import { s3 } from './s3-persona.js';
import { s4 } from './s4-procedure.js';
import { s5 } from './s5-constraints.js';
import { s6 } from './s6-shaped.js';
import { s8 } from './s8-optimize-prompt.js';
import { s9 } from './s9-constitutional.js';
import { v1 } from './v1-needs-approval.js';
import { v2 } from './v2-supervised.js';
import { v3 } from './v3-audit-trifecta.js';
import { v4 } from './v4-dual-llm.js';
import { v5 } from './v5-guardrails.js';
import { v6 } from './v6-injection-shield.js';
import { v7 } from './v7-policy-guard.js';
import { v8 } from './v8-sandboxed.js';
import { v9 } from './v9-with-budget.js';
import { v10 } from './v10-checkpoint-of.js';
import { v11 } from './v11-error-digest.js';
import { v12 } from './v12-conformance.js';
import { v13 } from './v13-tool-budget-seam.js';
import { v14 } from './v14-trace-of.js';
import { v15 } from './v15-rubric-judge.js';
import { v16 } from './v16-run-suite.js';
import { v17 } from './v17-online-eval.js';
import { v18 } from './v18-simulate-scenarios.js';
import { v19 } from './v19-with-fallback.js';
import { v20 } from './v20-validated.js';

export const patterns: readonly PatternSpec[] = [
  s1,
  s2,
  s3,
  s4,
  s5,
  s6,
  s8,
  s9,
  k1,
  k2,
  k3,
  k4,
  k5,
  k6,
  k7,
  k8,
  k9,
  k10,
  k11,
  k12,
  k13,
  r1,
  r2,
  r3,
  r4,
  r5,
  r6,
  r7,
  r8,
  r9,
  r10,
  r11,
  r12,
  r13,
  r14,
  r16,
  r17,
  r18,
  r19,
  r20,
  o1,
  o2,
  o3,
  o4,
  o5,
  o6,
  o7,
  o8,
  o9,
  o10,
  o11,
  o12,
  o13,
  o14,
  o15,
  o16,
  o17,
  o18,
  v1,
  v2,
  v3,
  v4,
  v5,
  v6,
  v7,
  v8,
  v9,
  v10,
  v11,
  v12,
  v13,
  v14,
  v15,
  v16,
  v17,
  v18,
  v19,
  v20,
  i1,
  i2,
  i3,
  i4,
  i5,
  i6,
  h1,
  h2,
  h3,
  h4,
  h5,
  h6,
  h7,
  h8,
  h9,
  h10,
];
