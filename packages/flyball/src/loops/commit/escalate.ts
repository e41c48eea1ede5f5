import type { CritiqueDiagnosis } from '../../checks/contracts.js';
import { unreachable } from '../../core/errors.js';
import type { Run } from '../../core/run.js';
import { askPeople } from './ask-people.js';
import type { Escalation } from './contracts.js';
import { fromVerdict } from './critique.js';
import { reportOn } from './judge-exit.js';
import { escalationFor, partialIsUseful } from './repair/escalation.js';
import type { PhaseReport, Work } from './work.js';

/** How the loop is left with these defects. That this model is not able to is known to the repairs only. */
export function escalationNow(work: Work, { defects }: CritiqueDiagnosis): Escalation {
  if (work.repairing.exhausted?.how === 'model-upgrade' && mayUpgrade(work)) return 'model-upgrade';
  return escalationFor(defects, {
    hasStronger: mayUpgrade(work),
    partialIsUseful: isUseful(work),
    ...(work.verified.schemaOk ? { scores: work.verified.scores } : {}), // nobody scored what has no structure
  });
}

function mayUpgrade({ parts, position }: Work): boolean {
  return parts.repair.stronger !== undefined && position.upgrades < parts.limits.maxUpgrades;
}

function isUseful({ made, verified }: Work): boolean {
  const { scores, schemaOk, defects } = verified;
  return partialIsUseful({ outputs: made, scores, schemaOk, defects });
}

export async function escalate(run: Run, work: Work, how: Escalation, why: string): Promise<PhaseReport> {
  run.note({ kind: 'escalation', how, why });
  switch (how) {
    case 'model-upgrade':
      if (!mayUpgrade(work)) return partially(run, work, why);
      work.repairing.escalateBecause = undefined;
      work.repairing.exhausted = undefined;
      return { event: 'upgraded', why: `${why}: the stronger model takes over` };
    case 're-decompose':
      return divide(run, work, work.diagnosis ?? fromVerdict(work), why);
    case 'human-review':
      return asPart(run, work, why);
    case 'partial-commit':
      return partially(run, work, why);
    case 'fail-with-diagnosis':
      return failing(work, why);
    default:
      return unreachable(how);
  }
}

export function mayDivide({ position, parts }: Work): boolean {
  return position.decompositions < parts.limits.maxDecompositions;
}

export async function divide(run: Run, work: Work, { defects }: CritiqueDiagnosis, why: string): Promise<PhaseReport> {
  if (!mayDivide(work)) return partially(run, work, why);
  const worst = defects.slice(0, MOST_REASONS).map(({ description }) => description.slice(0, LONGEST_REASON));
  work.acting.avoid = [...work.acting.avoid, why, ...worst, ...doneAlready(work)];
  work.repairing.escalateBecause = undefined;
  work.repairing.exhausted = undefined;
  return { event: 're-decompose', why };
}

const MOST_REASONS = 10;
const MOST_NAMED = 3;
const LONGEST_REASON = 300;

/** A new plan must not do again what the old one did to the world. */
function doneAlready({ acting: { records }, drawn }: Work): readonly string[] {
  return records
    .filter(({ actualToolCalls }) => actualToolCalls.some(({ tookPlace }) => tookPlace))
    .flatMap(({ id, actualToolCalls }) => {
      const step = drawn.steps.find((each) => each.id === id);
      const tools = [...new Set(actualToolCalls.map(({ tool }) => tool))].join(', ');
      return step === undefined ? [] : [`done already with ${tools}, not to be repeated: ${step.description}`];
    });
}

function partially(run: Run, work: Work, why: string): Promise<PhaseReport> {
  return isUseful(work) ? asPart(run, work, why) : Promise.resolve(failing(work, why));
}

/** The reason says what is wrong; the report has all of it. */
function failing(work: Work, why: string): PhaseReport {
  const { defects } = work.diagnosis ?? fromVerdict(work);
  const worst = defects.slice(0, MOST_NAMED).map(({ description }) => description.slice(0, LONGEST_REASON));
  return { event: 'exhausted', why: [why, ...(worst.length === 0 ? [] : [worst.join('; ')])].join(': ') };
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
