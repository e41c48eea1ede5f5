/**
 * Which clauses each test file shows, a file a line. `npm run requirements -- --update` writes it from docs/requirements.
 */
export const SHOWN = `
packages/evals/src/described.test.ts V17.5
packages/evals/src/online/calibration-set.test.ts V17.7
packages/evals/src/online/online-eval.test.ts V17.1 V17.2 V17.6 V17.8 V17.9
packages/evals/src/suites/suites.test.ts V16.1 V16.2 V16.3 V16.4 V16.5 V16.6 V16.7 V16.8 V16.9 V16.10
packages/flyball/src/adapters/engine-sqlite/damage.test.ts V10.7
packages/flyball/src/adapters/engine-sqlite/schema.test.ts V10.9
packages/flyball/src/adapters/telemetry-otel/otel.test.ts V14.1 V14.2 V14.3 V14.6
packages/flyball/src/adapters/telemetry-otel/otlp.test.ts V14.1 V14.3 V14.6
packages/flyball/src/agents/define-agent-pattern.test.ts O1.1 O1.2 O1.3 O1.4 O1.5 O1.6 O1.7
packages/flyball/src/patterns/guarded.test.ts V11.5
packages/flyball/src/patterns/integration/direct-call.test.ts I1.1 I1.2 I1.3 I1.4 I1.5 I1.6 I1.7 I1.8
packages/flyball/src/patterns/integration/kept.test.ts I2.2 I4.2 I4.7
packages/flyball/src/patterns/knowledge/adaptive-rag.test.ts K5.1 K5.2 K5.3 K5.4 K5.5 K5.6 K5.7
packages/flyball/src/patterns/knowledge/compression.test.ts K6.1 K6.2 K6.3 K6.4 K6.5 K6.6 K6.7 K6.8
packages/flyball/src/patterns/knowledge/from-bundle.test.ts K13.1 K13.2 K13.3 K13.4 K13.5 K13.6 K13.7 K13.8
packages/flyball/src/patterns/knowledge/pruning.test.ts K7.1 K7.2 K7.3 K7.4 K7.5 K7.6 K7.7 K7.8
packages/flyball/src/patterns/knowledge/rag.test.ts K1.1 K1.2 K1.3 K1.4 K1.5 K1.6 K1.7
packages/flyball/src/patterns/knowledge/with-query-rewriting.test.ts K2.1 K2.2 K2.3 K2.4 K2.5 K2.6
packages/flyball/src/patterns/orchestration/isolated.test.ts O17.1 O17.2 O17.3 O17.4 O17.5 O17.6 O17.7 O17.8
packages/flyball/src/patterns/orchestration/map-reduce.test.ts O4.1 O4.2 O4.3 O4.4 O4.5 O4.6 O4.7 O4.8
packages/flyball/src/patterns/reasoning/plan-and-solve.test.ts R3.1 R3.2 R3.3 R3.4 R3.5 R3.6 R3.7 R3.8
packages/flyball/src/patterns/reasoning/re-act.test.ts R4.1 R4.2 R4.3 R4.4 R4.5 R4.6 R4.7 R4.8 R4.9
packages/flyball/src/patterns/reasoning/self-consistency.test.ts R17.1 R17.2 R17.3 R17.4 R17.5 R17.6 R17.7 R17.8 R17.9
packages/flyball/src/patterns/reliability/crash.full.test.ts V1.7
packages/flyball/src/patterns/reliability/error-digest.test.ts V11.1 V11.2 V11.3 V11.4 V11.5 V11.6 V11.7
packages/flyball/src/patterns/reliability/kept-crash.full.test.ts V13.9
packages/flyball/src/patterns/reliability/kept.test.ts V10.5 V5.1 V5.3 V5.6 V5.7 V6.4 V6.6 V6.8
packages/flyball/src/patterns/reliability/needs-approval.test.ts V1.1 V1.2 V1.3 V1.5
packages/flyball/src/patterns/reliability/policy-guard.test.ts V7.3 V7.4 V7.5
packages/flyball/src/patterns/reliability/rubric-judge.test.ts V15.1 V15.2 V15.3 V15.4 V15.5 V15.6 V15.7 V15.8 V15.9 V15.10 V15.11
packages/flyball/src/patterns/reliability/sandboxed.test.ts V8.1 V8.3 V8.4 V8.5 V8.6 V8.7
packages/flyball/src/patterns/reliability/supervised.test.ts V2.3 V2.7 V2.8
packages/flyball/src/patterns/reliability/tool-review.test.ts V13.9
packages/flyball/src/patterns/reliability/validated.test.ts V20.1 V20.2 V20.3 V20.4 V20.5 V20.6 V20.7 V20.8 V20.9 V20.10 V9.10
packages/flyball/src/patterns/reliability/with-budget.test.ts V9.1 V9.2 V9.3 V9.5 V9.7 V9.8 V9.9
packages/flyball/src/patterns/signal/constraints.test.ts S5.1 S5.2 S5.3 S5.4 S5.5 S5.6 S5.7 S5.8
packages/flyball/src/patterns/signal/shaped.test.ts S6.1 S6.2 S6.3 S6.4 S6.5 S6.6
packages/flyball/src/patterns/signal/zero-shot.test.ts S1.1 S1.2 S1.3 S1.4
packages/flyball/src/revision/reflexion.test.ts R7.1 R7.2 R7.3 R7.4 R7.5 R7.6 R7.7 R7.8
packages/flyball/src/revision/self-refine.test.ts R8.1 R8.2 R8.3 R8.4 R8.5 R8.6 R8.7 R8.8 R8.9
packages/flyball/src/revision/until-approved.test.ts O5.1 O5.2 O5.3 O5.4 O5.5 O5.6
packages/flyball/src/revision/with-reviewers.test.ts O9.1 O9.2 O9.3 O9.4 O9.5 O9.6 O9.7
packages/flyball/src/toolbox/shell.test.ts I4.1 I4.3 I4.4 I4.5 I4.6
packages/flyball/src/tools/error-lines.test.ts V11.3 V11.4 V11.7
packages/flyball/src/tools/governance/guards/guardrails.test.ts V5.2 V5.4 V5.5 V5.8
packages/flyball/src/tools/governance/policy/evaluate-policy.test.ts V7.1 V7.5
packages/flyball/src/tools/governance/policy/parse-policy.test.ts V7.6 V7.8
packages/flyball/src/tools/governance/shield/injection-shield.test.ts V6.1 V6.2 V6.3 V6.5 V6.7
packages/flyball/src/tools/lint-tools.test.ts I2.4
packages/flyball/src/tools/tool-budget-seam.test.ts V13.1 V13.2 V13.3 V13.4 V13.6 V13.7
packages/flyball/src/tools/tool-budget.test.ts V13.5
packages/flyball/src/views/audit.test.ts V14.7
packages/flyball/src/views/checkpoint.test.ts V10.8
packages/flyball/src/views/trace.test.ts V14.2 V14.3 V14.4 V14.5
packages/server/src/card/card.test.ts I5.1 I5.2 I5.3 I5.5 I5.6 I5.7 I5.8
packages/server/src/card/described.test.ts I5.4
packages/server/src/online/online-watch.test.ts V17.4
test/evals/simulate-scenarios.test.ts V18.1 V18.2 V18.3 V18.4 V18.5 V18.6 V18.7 V18.8 V18.9 V18.10
test/evals/trace-facts.test.ts V17.3
test/governance/order.test.ts V7.2
test/governance/policy-swap.test.ts V7.7
test/governance/shield.test.ts I2.6 V6.1
test/loops/cases.test.ts I2.1 I2.3 I2.5
test/mcp/consume.test.ts I3.1 I3.4 I3.7 V13.8
test/mcp/dropped.full.test.ts I3.5
test/mcp/hints.test.ts I3.3 I3.6
test/mcp/secrets.test.ts I3.2
test/patterns/partial-values.test.ts O17.6 S5.6 V20.10
test/people/killed.full.test.ts V1.3 V1.5 V1.7
test/people/supervision.test.ts V2.1 V2.2 V2.3 V2.4 V2.5 V2.6
test/runtime/boards.test.ts V7.4
test/runtime/budget-axes.test.ts V9.4
test/runtime/budget-children.test.ts V9.6 V9.8
test/runtime/intent.test.ts V10.4 V10.6
test/runtime/seams.test.ts V7.4
test/runtime/values.test.ts V10.1 V10.2 V10.3
test/runtime/verdicts.test.ts V1.4 V1.6
test/security/sandbox.full.test.ts V8.2 V8.3
test/server/damaged-run.test.ts V10.10
test/skills/accumulate.test.ts H4.1 H4.2 H4.3 H4.4 H4.5 H4.6 H4.7 H4.8
test/telemetry/otlp-processes.full.test.ts V14.1 V14.3
`;
