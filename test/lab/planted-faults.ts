/** A fault of a pattern: a place of its source as it is, and as somebody might have written it. */
export interface PlantedFault {
  readonly name: string;
  readonly what: string;
  /** Under packages/flyball/src. */
  readonly file: string;
  /** Occurs once in the file. */
  readonly find: string;
  readonly put: string;
  /** The claim that has to fail. */
  readonly claim: string;
}

const SC = 'patterns/reasoning/self-consistency.ts';
const IR = 'revision/in-rounds.ts';
const MR = 'patterns/orchestration/map-reduce.ts';
const WR = 'revision/with-reviewers.ts';
const SR = 'revision/self-refine.ts';
const WC = 'patterns/signal/with-constraints.ts';

export const plantedFaults: readonly PlantedFault[] = [
  {
    name: 'abstentions-vote',
    what: 'a vote counts samples that gave no answer',
    file: SC,
    find: "(isFilled(slot) && slot.stop === 'done' ? keyOf(slot.value) : undefined)",
    put: "(isFilled(slot) && slot.stop === 'done' ? keyOf(slot.value) : 'none')",
    claim: 'R17-abstains',
  },
  {
    name: 'first-sample-wins',
    what: 'only the first sample has a vote',
    file: SC,
    find: 'voted(run, slots, tally(ballots), minAgreement)',
    put: 'voted(run, slots, tally(ballots.slice(0, 1)), minAgreement)',
    claim: 'R17-seven',
  },
  {
    name: 'critique-lost',
    what: 'a critique is not passed on to the next attempt',
    file: 'revision/reflexion.ts',
    find: 'withNotes(run, HEADING, critiques.slice(-keep))',
    put: 'withNotes(run, HEADING, [])',
    claim: 'R7-useful',
  },
  {
    name: 'attempt-short',
    what: 'the last attempt is never made',
    file: IR,
    find: 'if (round === limit) return',
    put: 'if (round === limit - 1) return',
    claim: 'R7-useless',
  },
  {
    name: 'issues-lost',
    what: 'a reviser is not told what the critic found',
    file: SR,
    find: "{lines.join('\\n')}\\n\\nWrite the complete",
    put: '{lines.length}\\n\\nWrite the complete',
    claim: 'R8-sharp',
  },
  {
    name: 'content-at-once',
    what: 'a result is accepted whatever the critic says',
    file: SR,
    find: 'if (found.issues.length === 0) return done(value);',
    put: 'if (found.issues.length >= 0) return done(value);',
    claim: 'R8-mild',
  },
  {
    name: 'verdict-ignored',
    what: 'a draft passes whatever the judge says',
    file: IR,
    find: 'if (tested.ok) return done(value);',
    put: 'if (tested !== undefined) return done(value);',
    claim: 'O5-fair',
  },
  {
    name: 'quorum-ignored',
    what: 'results are joined below the quorum',
    file: MR,
    find: 'if (filled.length >= need) return undefined;',
    put: 'if (filled.length >= 0) return undefined;',
    claim: 'O4-all',
  },
  {
    name: 'one-by-one',
    what: 'workers wait for each other',
    file: MR,
    find: 'slotsOf(run, branches, { width })',
    put: 'slotsOf(run, branches, { width: 1 })',
    claim: 'O4-wall',
  },
  {
    name: 'brief-lost',
    what: 'whoever revises does not get the brief',
    file: WR,
    find: '{briefText(brief)}',
    put: '{briefText(brief).length}',
    claim: 'O9-found',
  },
  {
    name: 'one-reviewer',
    what: 'only the first reviewer is asked',
    file: WR,
    find: 'const reviews = await reviewed(run, reviewers, lenses, value);',
    put: 'const reviews = await reviewed(run, reviewers, lenses.slice(0, 1), value);',
    claim: 'O9-clean',
  },
  {
    name: 'cap-ignored',
    what: 'an agent spends beyond its part of the budget',
    file: 'patterns/reliability/with-budget.ts',
    find: 'run.within(slice, (inside) => runPart(inside, agent, input))',
    put: 'runPart(run, agent, input)',
    claim: 'V9-never-above',
  },
  {
    name: 'retry-short',
    what: 'one retry fewer than promised',
    file: 'patterns/reliability/validated.ts',
    find: 'if (retries === maxRetries || bad === last)',
    put: 'if (retries === maxRetries - 1 || bad === last)',
    claim: 'V20-retries',
  },
  {
    name: 'no-repair',
    what: 'a reply that does not fit is not asked for again',
    file: 'patterns/signal/shaped.ts',
    find: 'maxReasks: maxRepairs,',
    put: 'maxReasks: 0,',
    claim: 'S6-repairs',
  },
  {
    name: 'breach-passes',
    what: 'an answer that breaches a constraint gets out',
    file: WC,
    find: 'if (breaches.length === 0) return made;',
    put: 'if (breaches.length >= 0) return made;',
    claim: 'S5-leaks',
  },
  {
    name: 'breach-untold',
    what: 'the agent is not told what it breached',
    file: WC,
    find: 'withNotes(framed, HEADING, notes)',
    put: 'withNotes(framed, HEADING, [])',
    claim: 'S5-told',
  },
  {
    name: 'order-seen',
    what: 'a judge of pairs is asked in one order, and favors a place',
    file: 'checks/judge-pair.ts',
    find: "const winner = inFirst === inSecond ? inFirst : 'tie';",
    put: 'const winner = inFirst;',
    claim: 'V15-biased',
  },
  {
    name: 'gate-ignored',
    what: 'documents are looked up for every question',
    file: 'patterns/knowledge/adaptive-rag.ts',
    find: "if (classifier === 'DIRECT') {",
    put: "if (classifier === ('NEVER' as string)) {",
    claim: 'K5-gate',
  },
  {
    name: 'key-unused',
    what: 'the better query is asked for and not searched for',
    file: 'patterns/knowledge/search-keys.ts',
    find: "fellBack: 'identifiers-lost', lost } : { raw, keys };",
    put: "fellBack: 'identifiers-lost', lost } : { raw, keys: [raw] };",
    claim: 'K2-follow-up',
  },
  {
    name: 'wrong-search',
    what: 'another question is searched for than was asked',
    file: 'patterns/knowledge/rag.ts',
    find: 'const found = await lookUp(run, index, question, limit);',
    put: 'const found = await lookUp(run, index, question.slice(0, 12), limit);',
    claim: 'K1-covered',
  },
  {
    name: 'shield-open',
    what: 'text that was found suspicious reaches the model',
    file: 'tools/governance/shield/injection-shield.ts',
    find: 'if (screening.score < shield.thresholds.sanitise) {',
    put: 'if (screening.score <= 1) {',
    claim: 'V6-known',
  },
  {
    name: 'unasked',
    what: 'nobody is asked before the call',
    file: 'patterns/reliability/needs-approval.ts',
    find: 'return { asked: [why], rules: complete };',
    put: 'return { asked: [] };',
    claim: 'V1-sees',
  },
  {
    name: 'scope-open',
    what: 'a class outside the scope takes place',
    file: 'people/supervised-scope.ts',
    find: 'if (isInScope) return verdict;',
    put: 'if (isInScope || !isInScope) return verdict;',
    claim: 'V2-outside',
  },
  {
    name: 'policy-unread',
    what: 'calls are not held to the policy',
    file: 'patterns/reliability/policy-guard.ts',
    find: 'judgeCall([check], call, ctx)',
    put: 'judgeCall([], call, ctx)',
    claim: 'V7-denied',
  },
  {
    name: 'guard-deaf',
    what: 'a guard before the call is asked and not heard',
    file: 'tools/governance/guards/guardrails.ts',
    find: "if (judged.verdict === 'allow') continue;",
    put: 'if (judged.verdict !== undefined) continue;',
    claim: 'V5-guard',
  },
  {
    name: 'no-retry',
    what: 'a failed call is not tried again',
    file: 'patterns/integration/direct-call.ts',
    find: 'retry: { retries: maxTries - 1, ...patience },',
    put: 'retry: { retries: 0, ...patience },',
    claim: 'I1-retries',
  },
  {
    name: 'replan-short',
    what: 'one new plan fewer than promised',
    file: 'patterns/reasoning/plan-and-solve.ts',
    find: "if (replans === maxReplans) return { stop: 'bounded'",
    put: "if (replans === maxReplans - 1) return { stop: 'bounded'",
    claim: 'R3-errors',
  },
  {
    name: 'tools-unmeasured',
    what: 'more tools than a model can tell apart are shown',
    file: 'tools/tool-budget-seam.ts',
    find: 'if (!decision.admission.ok) throw',
    put: 'if (!decision.admission.ok && tools.length > 1_000) throw',
    claim: 'V13-few',
  },
];
