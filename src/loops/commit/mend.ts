import type { CritiqueDiagnosis } from '../../checks/contracts.js';
import { unreachable } from '../../core/errors.js';
import type { Run } from '../../core/run.js';
import type { Artefact, ExecutionOutputs, RootCause } from '../../core/work.js';
import type { Escalation } from './contracts.js';
import { intensityToStrategy } from './control/index.js';
import { askPeople, mayRetrieve, reportOn } from './judge-exit.js';
import { roundsAllowed } from './phases.js';
import { escalationFor, partialIsUseful } from './repair/escalation.js';
import { recordRepair } from './repair/rates.js';
import type { RepairResult } from './repair/repair-contracts.js';
import { repairer } from './repair/repairer.js';
import type { PhaseReport, Work } from './work.js';

/** CRITIQUE: a session that sees task, output, evidence and rubric says what is wrong and where. */
export async function critiquePhase(run: Run, work: Work): Promise<PhaseReport> {
  work.diagnosis = await work.parts.criticise(run, work.subject, work.verified);
  return { event: 'diagnosed', why: `${work.diagnosis.defects.length} defects` };
}

/** REPAIR: changes what is wrong, as little as will do; or says that repairing on will not help. */
export async function repairPhase(run: Run, work: Work): Promise<PhaseReport> {
  if (work.replacement !== undefined) return replace(run, work, work.replacement);
  const isSpent = work.position.repairs > roundsAllowed(work.position, work.parts.limits);
  const why = work.escalateBecause ?? (isSpent ? 'all repairs are used up' : undefined);
  const diagnosis = work.diagnosis ?? fromVerdict(work);
  if (why !== undefined && work.feedback === undefined) return escalate(run, work, escalationNow(work, diagnosis), why);
  const result = await repairsOf(work)(run, inputFor(work, diagnosis));
  take(work, result);
  switch (result.kind) {
    case 'repaired':
      return { event: 'repaired' };
    case 'retrieval-gap':
      // with nowhere to look, what is missing is repaired like the rest: these queries are not asked for again
      if (!mayRetrieve(work)) return repairPhase(run, work);
      work.queries = result.queries ?? [];
      return { event: 'retrieval-gap', why: work.queries.join('; ') };
    case 'complexity':
      return divide(run, work, diagnosis, 'it is too much for one piece');
    case 'exhausted':
      return escalate(run, work, result.escalation ?? 'fail-with-diagnosis', 'the repair budget is used up');
    default:
      return unreachable(result.kind);
  }
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
    ...(feedback === undefined ? {} : { feedback }),
  };
}

function take(work: Work, result: RepairResult): void {
  work.outputs = result.outputs;
  work.repairs.push(...result.entries);
  work.isRepaired ||= result.entries.length > 0;
  work.memories.push(result.memory);
  work.spent = result.spent;
  work.wayOut = result.wayOut;
  work.feedback = undefined;
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
  work.avoid = [...work.avoid, why, ...defects.map(({ description }) => description)];
  work.escalateBecause = undefined;
  return { event: 're-decompose', why };
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
