import type { CritiqueDiagnosis } from '../../checks/contracts.js';
import { unreachable } from '../../core/errors.js';
import type { Run } from '../../core/run.js';
import type { Artefact, Defect, DimensionName, ExecutionOutputs, RootCause } from '../../core/work.js';
import type { Escalation, GateResult } from './contracts.js';
import { intensityToStrategy } from './control/index.js';
import { askPeople, mayRetrieve, reportOn } from './judge-exit.js';
import { roundsAllowed } from './phases.js';
import { escalationFor, partialIsUseful } from './repair/escalation.js';
import { recordRepair } from './repair/rates.js';
import type { RepairResult } from './repair/repair-contracts.js';
import { repairer } from './repair/repairer.js';
import { contentHash } from './seal.js';
import type { PhaseReport, Work } from './work.js';

/** CRITIQUE: a session that sees task, output, evidence and rubric says what is wrong and where. */
export async function critiquePhase(run: Run, work: Work): Promise<PhaseReport> {
  const said = await work.parts.criticise(run, work.subject, work.verified);
  work.diagnosis = withClosedGates(said, work);
  const missing = (said.missing ?? []).map(({ critic, why }) => `${critic} did not answer: ${why}`);
  return { event: 'diagnosed', why: [`${work.diagnosis.defects.length} defects`, ...missing].join('; ') };
}

const DIMENSION_OF: Readonly<Partial<Record<GateResult['gate'], DimensionName>>> = {
  correctness: 'correctness',
  completeness: 'completeness',
  coherence: 'coherence',
  safety: 'safety',
  consistency: 'correctness',
};

/** A closed gate that nobody has a finding for is a finding itself: else there would be nothing to repair. */
function withClosedGates(diagnosis: CritiqueDiagnosis, { exit, carried }: Work): CritiqueDiagnosis {
  const known = new Set(diagnosis.defects.map(({ id }) => id));
  const found = [...diagnosis.defects, ...carried.filter(({ id }) => !known.has(id))];
  const dimensions = new Set(found.map(({ dimension }) => dimension));
  const closed = (exit?.gates ?? [])
    .filter(({ passed }) => !passed)
    .flatMap((gate) => {
      const dimension = DIMENSION_OF[gate.gate];
      return dimension === undefined || dimensions.has(dimension) ? [] : [defectOf(gate, dimension)];
    });
  const defects = [...found, ...closed];
  return { ...diagnosis, defects, severity: Math.max(0, ...defects.map(({ severity }) => severity)) };
}

function defectOf({ gate, score, threshold, note }: GateResult, dimension: DimensionName): Defect {
  return {
    id: `gate-${gate}`,
    dimension,
    description: `${gate} is at ${score.toFixed(2)}, and ${threshold} is needed${note === undefined ? '' : ` (${note})`}`,
    severity: Math.min(1, Math.max(0.1, threshold - score)),
    scope: 'global',
    foundBy: 'gate',
    facts: { gate, score, threshold },
  };
}

/** REPAIR: changes what is wrong, as little as will do; or says that repairing on will not help. */
export async function repairPhase(run: Run, work: Work): Promise<PhaseReport> {
  if (work.replacement !== undefined) return replace(run, work, work.replacement);
  const diagnosis = work.diagnosis ?? fromVerdict(work);
  const why = givenUp(work, diagnosis);
  if (why !== undefined && work.feedback === undefined) return escalate(run, work, escalationNow(work, diagnosis), why);
  const result = await repairsOf(work)(run, inputFor(work, diagnosis));
  const isChanged = contentHash(result.outputs) !== contentHash(work.made);
  const { feedback } = work;
  take(work, result);
  switch (result.kind) {
    case 'repaired':
      return { event: 'repaired' };
    case 'retrieval-gap':
      work.queries = (result.queries ?? []).filter((query) => !work.asked.has(query));
      if (work.queries.length === 0 || !mayRetrieve(work))
        return { event: 'repaired', why: 'there is nowhere to look' };
      return { event: 'retrieval-gap', why: work.queries.join('; ') };
    case 'complexity':
      if (feedback !== undefined) work.avoid = [...work.avoid, feedback]; // a person's wish is not lost on the way
      return divide(run, work, diagnosis, 'it is too much for one piece');
    case 'exhausted':
      // what was changed is measured before anybody is asked about it
      if (isChanged) return verifiedFirst(work, 'the repair budget is used up');
      return escalate(run, work, result.escalation ?? 'fail-with-diagnosis', 'the repair budget is used up');
    default:
      return unreachable(result.kind);
  }
}

/** Why repairing on will not help, where it will not. */
function givenUp(work: Work, { defects }: CritiqueDiagnosis): string | undefined {
  const isSpent = work.position.repairs > roundsAllowed(work.position, work.parts.limits);
  const nothing = defects.length === 0 ? 'nothing is known that could be repaired' : undefined;
  return work.exhaustedBecause ?? work.escalateBecause ?? (isSpent ? 'all repairs are used up' : nothing);
}

function verifiedFirst(work: Work, why: string): PhaseReport {
  work.exhaustedBecause = why;
  return { event: 'repaired', why: `${why}: what there is is measured, then decided about` };
}

/** A schema failure has no critique: what the check found is the diagnosis. */
function fromVerdict({ verified }: Work): CritiqueDiagnosis {
  const { scores, defects } = verified;
  return { scores, defects, severity: Math.max(0, ...defects.map(({ severity }) => severity)), hints: [] };
}

function repairsOf(work: Work): ReturnType<typeof repairer> {
  const { parts, isUpgraded } = work;
  const { session, stronger, radius } = parts.repair;
  const context = { iteration: work.verifications, baseline: work.baseline, trigger: 'action' as const };
  return repairer({
    session: isUpgraded && stronger !== undefined ? stronger : session,
    ...(stronger === undefined || isUpgraded ? {} : { stronger }),
    ...(radius === undefined ? {} : { radius }),
    workpiece: parts.workpiece,
    verifyDefect: (run, subject, defect) => parts.reverify(run, subject, defect, context),
    budget: work.repairBudget,
  });
}

function inputFor(work: Work, diagnosis: CritiqueDiagnosis): Parameters<ReturnType<typeof repairer>>[1] {
  const { feedback } = work;
  const rates = work.repairs.reduce(
    (so, { cause, strategy, resolved }) => recordRepair(so, { cause: cause as RootCause, strategy, resolved }),
    work.history.rates,
  );
  return {
    subject: work.subject,
    // a person's words come alone: what else is wrong is found again, and must not lead away from them
    diagnosis: feedback === undefined ? diagnosis : { ...diagnosis, defects: [], severity: 0, hints: [] },
    intensity: work.intensity,
    fromIntensity: intensityToStrategy,
    rates,
    history: work.memories,
    spent: work.spent,
    wayOut: work.wayOut,
    mayRetrieve: mayRetrieve(work),
    ...(feedback === undefined ? {} : { feedback }),
  };
}

/** Kinds of findings that VERIFY brings up again by itself. */
const FOUND_AGAIN = /^(schema|test:|claim|requirement|rubric|gap|gate)/;

function take(work: Work, result: RepairResult): void {
  work.outputs = result.outputs;
  work.repairs.push(...result.entries);
  work.isRepaired ||= result.entries.length > 0;
  work.memories.push(result.memory);
  work.spent = result.spent;
  work.wayOut = result.wayOut;
  work.feedback = undefined;
  work.carried = result.remaining.filter(({ foundBy }) => !FOUND_AGAIN.test(foundBy));
}

/** What a person wrote is put in place word for word, and verified like everything else. */
async function replace(run: Run, work: Work, written: readonly Artefact[]): Promise<PhaseReport> {
  work.replacement = undefined;
  work.isRepaired = false; // what is measured next is the person's doing
  for (const artefact of written) await work.parts.workpiece.write(run, artefact);
  work.outputs = withArtefacts(work.made, written);
  return { event: 'repaired', why: 'put in place by a person' };
}

function withArtefacts(made: ExecutionOutputs, written: readonly Artefact[]): ExecutionOutputs {
  const { value: _value, ...rest } = made; // read anew by VERIFY
  const byName = new Map([...made.artefacts, ...written].map((artefact) => [artefact.name, artefact]));
  return { ...rest, artefacts: [...byName.values()] };
}

function escalationNow(work: Work, { defects }: CritiqueDiagnosis): Escalation {
  return escalationFor(defects, {
    hasStronger: mayUpgrade(work),
    partialIsUseful: isUseful(work),
  });
}

function mayUpgrade({ parts, position }: Work): boolean {
  return parts.repair.stronger !== undefined && position.upgrades < parts.limits.maxUpgrades;
}

function isUseful({ made, verified }: Work): boolean {
  const { scores, schemaOk, defects } = verified;
  return partialIsUseful({ outputs: made, scores, schemaOk, defects });
}

async function escalate(run: Run, work: Work, how: Escalation, why: string): Promise<PhaseReport> {
  run.note({ kind: 'escalation', how, why });
  switch (how) {
    case 'model-upgrade':
      if (!mayUpgrade(work)) return partially(run, work, why);
      work.escalateBecause = undefined;
      work.exhaustedBecause = undefined;
      return { event: 'upgraded', why: `${why}: the stronger model takes over` };
    case 're-decompose':
      return divide(run, work, work.diagnosis ?? fromVerdict(work), why);
    case 'human-review':
      return asPart(run, work, why);
    case 'partial-commit':
      return partially(run, work, why);
    case 'fail-with-diagnosis':
      return { event: 'exhausted', why };
    default:
      return unreachable(how);
  }
}

async function divide(run: Run, work: Work, { defects }: CritiqueDiagnosis, why: string): Promise<PhaseReport> {
  if (work.position.decompositions >= work.parts.limits.maxDecompositions) return partially(run, work, why);
  const worst = defects.slice(0, MOST_REASONS).map(({ description }) => description.slice(0, LONGEST_REASON));
  work.avoid = [...work.avoid, why, ...worst, ...doneAlready(work)];
  work.escalateBecause = undefined;
  work.exhaustedBecause = undefined;
  return { event: 're-decompose', why };
}

const MOST_REASONS = 10;
const LONGEST_REASON = 300;

/** A new plan must not do again what the old one did to the world. */
function doneAlready({ records, drawn }: Work): readonly string[] {
  return records
    .filter(({ actualToolCalls }) => actualToolCalls.some(({ ok }) => ok))
    .flatMap(({ id, actualToolCalls }) => {
      const step = drawn.steps.find((each) => each.id === id);
      const tools = [...new Set(actualToolCalls.map(({ tool }) => tool))].join(', ');
      return step === undefined ? [] : [`done already with ${tools}, not to be repeated: ${step.description}`];
    });
}

function partially(run: Run, work: Work, why: string): Promise<PhaseReport> {
  return isUseful(work) ? asPart(run, work, why) : Promise.resolve({ event: 'exhausted', why });
}

/** Less than was asked for is given out only where somebody agrees: the trigger is mechanical. */
async function asPart(run: Run, work: Work, why: string): Promise<PhaseReport> {
  work.exit = reportOn(work, true);
  run.note({ kind: 'exit', ...work.exit });
  const answer = await askPeople(run, work, why);
  if (answer.event === 'partial') work.missing = whatIsMissing(work);
  return answer;
}

function whatIsMissing({ exit, diagnosis, verified }: Work): readonly string[] {
  const closed = (exit?.gates ?? []).filter(({ passed }) => !passed);
  const gates = closed.map(({ gate, score, threshold }) => `${gate}: ${score.toFixed(2)} of ${threshold}`);
  const defects = (diagnosis?.defects ?? verified.defects).map(({ description }) => description);
  return [...gates, ...defects];
}
