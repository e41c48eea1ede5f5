import type { CritiqueDiagnosis } from '../../checks/contracts.js';
import { FlyballError, unreachable } from '../../core/errors.js';
import type { Run } from '../../core/run.js';
import type { Artefact, ExecutionOutputs } from '../../core/work.js';
import { intensityToStrategy } from './control/index.js';
import { fromVerdict } from './critique.js';
import { divide, escalate, escalationNow, mayDivide } from './escalate.js';
import { mayRetrieve } from './judge-exit.js';
import { roundsAllowed } from './phases.js';
import { withRepairs } from './repair/rates.js';
import type { RepairResult } from './repair/repair-contracts.js';
import { repairer } from './repair/repairer.js';
import type { PhaseReport, Work } from './work.js';

/** REPAIR: changes what is wrong, as little as will do; or says that repairing on will not help. */
export async function repairPhase(run: Run, work: Work): Promise<PhaseReport> {
  if (work.people.replacement !== undefined) return replace(run, work, work.people.replacement);
  const diagnosis = work.diagnosis ?? fromVerdict(work);
  const why = givenUp(work, diagnosis);
  if (why !== undefined && work.people.feedback === undefined)
    return escalate(run, work, escalationNow(work, diagnosis), why);
  const { feedback } = work.people;
  const result = await repaired(run, work, diagnosis);
  take(work, result);
  switch (result.kind) {
    case 'repaired':
      return { event: 'repaired' };
    case 'retrieval-gap':
      work.acting.queries = notAsked(work, result);
      return { event: 'retrieval-gap', why: work.acting.queries.join('; ') };
    case 'complexity':
      if (feedback !== undefined) work.acting.avoid = [...work.acting.avoid, feedback]; // a person's wish is not lost on the way
      if (result.changed && !mayDivide(work)) return verifiedFirst(work, result, TOO_MUCH);
      return divide(run, work, diagnosis, TOO_MUCH);
    case 'exhausted':
      if (result.changed) return verifiedFirst(work, result, SPENT);
      return escalate(run, work, result.escalation ?? 'fail-with-diagnosis', SPENT);
    default:
      return unreachable(result.kind);
  }
}

const TOO_MUCH = 'it is too much for one piece';
const SPENT = 'the repair budget is used up';

/** One round. Where everything was looked for already, it is mended with what there is, and not in a later round. */
async function repaired(run: Run, work: Work, diagnosis: CritiqueDiagnosis): Promise<RepairResult> {
  const [repair, input] = [repairsOf(work), inputFor(work, diagnosis)];
  const result = await repair(run, input);
  if (result.kind !== 'retrieval-gap' || notAsked(work, result).length > 0) return result;
  return repair(run, { ...input, mayRetrieve: false });
}

function notAsked({ acting: { asked } }: Work, { queries = [] }: RepairResult): readonly string[] {
  return queries.filter((query) => !asked.has(query));
}

/** Why repairing on will not help, where it will not. */
function givenUp(work: Work, { defects }: CritiqueDiagnosis): string | undefined {
  const isSpent = work.position.repairs > roundsAllowed(work.position, work.parts.limits);
  const nothing = defects.length === 0 ? 'nothing is known that could be repaired' : undefined;
  return (
    work.repairing.exhausted?.why ?? work.repairing.escalateBecause ?? (isSpent ? 'all repairs are used up' : nothing)
  );
}

/** What was changed is measured before anybody is asked about it. */
function verifiedFirst(work: Work, { escalation = 'fail-with-diagnosis' }: RepairResult, why: string): PhaseReport {
  work.repairing.exhausted = { why, how: escalation };
  return { event: 'repaired', why: `${why}: what there is is measured, then decided about` };
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
  const { feedback } = work.people;
  const rates = withRepairs(work.history.rates, work.repairing.repairs);
  return {
    subject: work.subject,
    // a person's words come alone: what else is wrong is found again, and must not lead away from them
    diagnosis: feedback === undefined ? diagnosis : { ...diagnosis, defects: [], severity: 0, hints: [] },
    intensity: work.repairing.intensity,
    fromIntensity: intensityToStrategy,
    rates,
    history: work.repairing.memories,
    spent: work.repairing.spent,
    wayOut: work.repairing.wayOut,
    mayRetrieve: mayRetrieve(work),
    ...(feedback === undefined ? {} : { feedback }),
    ...(work.verdict?.consistency === undefined ? {} : { consistency: work.verdict.consistency }),
  };
}

/** Kinds of findings that VERIFY brings up again by itself. */
const FOUND_AGAIN = /^(schema|test:|claim|requirement|rubric|gap|gate)/;

function take(work: Work, result: RepairResult): void {
  work.outputs = result.outputs;
  work.repairing.repairs.push(...result.entries);
  work.repairing.isRepaired ||= result.entries.length > 0;
  work.repairing.memories.push(result.memory);
  work.repairing.spent = result.spent;
  work.repairing.wayOut = result.wayOut;
  work.people.feedback = undefined;
  work.repairing.carried = result.remaining.filter(({ foundBy }) => !FOUND_AGAIN.test(foundBy));
}

/** What a person wrote is put in place word for word, and verified like everything else. */
async function replace(run: Run, work: Work, written: readonly Artefact[]): Promise<PhaseReport> {
  work.people.replacement = undefined;
  work.repairing.isRepaired = false; // what is measured next is the person's doing
  const placed: Artefact[] = [];
  const refused: string[] = [];
  for (const artefact of written) {
    const problem = await refusalOf(work.parts.workpiece.write(run, artefact));
    if (problem === undefined) placed.push(artefact);
    else refused.push(problem);
  }
  work.outputs = withArtefacts(work.made, placed);
  // what was modified is asked about again, and then the person reads what could not be put in place
  work.people.refusals = refused;
  return { event: 'repaired', why: ['put in place by a person', ...refused].join('; ') };
}

/** A name that the work does not cover is the person's mistake, not the end of the work. */
async function refusalOf(writing: Promise<void>): Promise<string | undefined> {
  try {
    await writing;
    return undefined;
  } catch (error) {
    if (error instanceof FlyballError && error.code === 'DENIED') return error.message;
    throw error;
  }
}

function withArtefacts(made: ExecutionOutputs, written: readonly Artefact[]): ExecutionOutputs {
  const { value: _value, ...rest } = made; // read anew by VERIFY
  const byName = new Map([...made.artefacts, ...written].map((artefact) => [artefact.name, artefact]));
  return { ...rest, artefacts: [...byName.values()] };
}
