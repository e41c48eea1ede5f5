import { withReports } from '../../checks/baseline.js';
import { DEFAULT_RUBRIC } from '../../checks/rubric.js';
import type { Run } from '../../core/run.js';
import { textSimilarity } from '../../core/text-similarity.js';
import type { Defect } from '../../core/work.js';
import { effectKindOf } from '../plan/effect-kind.js';
import { stepLoop } from '../plan/execute-plan.js';
import { askPeople } from './ask-people.js';
import type { GateResult } from './contracts.js';
import { qualityError } from './control/index.js';
import { exitDecision, exitReport, noveltyOf } from './exit/index.js';
import { foresee } from './prepare.js';
import type { PhaseReport, Work } from './work.js';

/** VERIFY: measures, lets the controller look at the measurement, and decides whether it may leave. */
export async function verifyPhase(run: Run, work: Work): Promise<PhaseReport> {
  const verdict = await work.parts.verify(run, work.subject, {
    iteration: work.verifications++,
    baseline: work.baseline,
    trigger: 'commit',
  });
  work.verdict = verdict;
  work.diagnosis = undefined;
  work.repairing.escalateBecause = undefined; // said anew by this measurement
  work.baseline = withReports(work.baseline, verdict.tests);
  if (!verdict.schemaOk) {
    work.repairing.isRepaired = false; // nothing was measured that could be compared
    work.repairing.intensity = 1; // what has no structure cannot be mended in places
    return { event: 'schema-failed', why: verdict.schemaProblems.join('; ') };
  }
  const again = mayMeasureAgain(work);
  if (again !== undefined) return again;
  const unscored = verdict.skipped.find(({ level }) => SCORING.includes(level));
  if (unscored !== undefined) return unmeasured(run, work, unscored);
  steer(run, work);
  work.repairing.carried = await stillThere(run.scope('carried'), work);
  return leave(run, work);
}

/** Levels without which there are no scores for the controller. */
const SCORING: readonly string[] = ['rubric', 'coherence'];

/** What a session could not be heard about is no bad score: it is asked again while that may help. */
function mayMeasureAgain({ verified, evidence, position, parts }: Work): PhaseReport | undefined {
  if (position.retries >= parts.limits.maxRetries) return undefined;
  const asked = [...SCORING, 'consistency', ...(evidence.items.length === 0 ? [] : ['semantic'])];
  const unmet = verified.skipped.find((each) => each.unmet === true && asked.includes(each.level));
  if (unmet !== undefined) return { event: 'retry', why: notHad(unmet) };
  const { blocked = [] } = verified; // a command that could not be run says nothing about the output
  return blocked.length === 0 ? undefined : { event: 'retry', why: `tests could not be run: ${blocked.join('; ')}` };
}

function notHad({ level, why }: { readonly level: string; readonly why: string }): string {
  return `${level} could not be scored: ${why}`;
}

/** Nobody scored it, however often they were asked: a person looks, and the controller learns nothing from it. */
async function unmeasured(
  run: Run,
  work: Work,
  level: { readonly level: string; readonly why: string },
): Promise<PhaseReport> {
  const said = notHad(level);
  work.repairing.isRepaired = false;
  work.exit = reportOn(work, false);
  run.note({ kind: 'exit', ...work.exit });
  const answer = await ask(run, work, said);
  if (answer.event === 'approved') work.missing = [said]; // a yes opens no gate: what nobody scored is less than was asked for
  return answer;
}

/** Findings that only a critic or an executed case brought up: VERIFY would not find them again by itself. */
async function stillThere(run: Run, work: Work): Promise<readonly Defect[]> {
  const context = { iteration: work.verifications, baseline: work.baseline, trigger: 'action' as const };
  const open: Defect[] = [];
  for (const defect of work.repairing.carried)
    if (!(await work.parts.reverify(run, work.subject, defect, context))) open.push(defect);
  return open;
}

export function mayRetrieve({ parts, position }: Work): boolean {
  return parts.retriever !== undefined && position.retrievals < parts.limits.maxRetrievals;
}

/** The measurement goes to the controller, and what the last repair changed into the history it learns from. */
function steer(run: Run, work: Work): void {
  const { control, controlState } = work;
  const isFirst = controlState.k === 0 && controlState.errors.length === 0;
  const { scores } = work.verified;
  const { error } = qualityError(control.settings.setpoint, scores);
  const last = controlState.errors.at(-1);
  if (last !== undefined && work.repairing.isRepaired)
    work.repairing.outcomes.push({ before: 1 - last, after: 1 - error, intensity: work.repairing.intensity });
  work.repairing.isRepaired = false;
  const { state, decision } = control.next(controlState, scores);
  work.controlState = state;
  run.note({ kind: 'control', error, decision });
  work.repairing.intensity = decision.kind === 'repair' ? decision.intensity : Math.min(1, Math.max(0.1, error));
  if (decision.kind !== 'repair' && decision.kind !== 'met') work.repairing.escalateBecause = because(decision.kind);
  if (isFirst && decision.kind === 'repair')
    work.repairing.escalateBecause = foresee(run, work, { error, isMeasured: true });
}

function because(kind: 'stalled' | 'noise-floor' | 'iterations' | 'cost'): string {
  const reasons = {
    stalled: 'repairs no longer change the quality',
    'noise-floor': 'chance alone keeps the quality below the gate: more repairs cannot help',
    iterations: 'the controller allows no further iteration',
    cost: 'the controller allows no further cost',
  };
  return reasons[kind];
}

async function leave(run: Run, work: Work): Promise<PhaseReport> {
  const report = reportOn(work, false);
  const before = work.exit?.gates;
  work.exit = report;
  run.note({ kind: 'exit', ...report });
  const { decision, why } = exitDecision(report, { repairsLeft: work.repairsLeft });
  const executed = work.repairing.carried.filter(({ foundBy }) => foundBy === 'adversary');
  if (executed.length > 0) return { event: 'gates-failed', why: `executed cases still fail: ${textsOf(executed)}` };
  switch (decision) {
    case 'commit':
      return mustAsk(work) === undefined ? { event: 'gates-passed', why } : ask(run, work, mustAsk(work) ?? why);
    case 'ask-person':
      return ask(run, work, [why, mustAsk(work) ?? []].flat().join('; '));
    case 'repair':
    case 'escalate':
      return gap(work) ?? closedBy(work, why, before);
    case 'fail':
      return { event: 'exhausted', why };
  }
}

/**
 * Where only what could not be measured keeps gates closed, no repair opens them. Nor does one where none of them has
 * moved: the controller only looks at its own setpoints, and an output can be within those and behind a closed gate.
 */
function closedBy(work: Work, why: string, before: readonly GateResult[] = []): PhaseReport {
  const { blocked = [] } = work.verified;
  const closed = (work.exit?.gates ?? []).filter(({ gate, passed }) => !passed && gate !== 'confidence');
  const isUnmeasured = ({ gate, note }: GateResult): boolean =>
    gate === 'tests' ? blocked.length > 0 : note !== undefined;
  if (closed.length > 0 && closed.every(isUnmeasured))
    work.repairing.escalateBecause ??=
      'what keeps the gates closed could not be measured: no repair helps against that';
  const { deltaMin, stallFrom } = work.control.settings;
  const isUnmoved = ({ gate, score }: GateResult): boolean =>
    before.some((one) => one.gate === gate && Math.abs(score - one.score) < deltaMin);
  if (closed.length > 0 && work.controlState.errors.length >= stallFrom && closed.every(isUnmoved))
    work.repairing.escalateBecause ??= because('stalled');
  return { event: 'gates-failed', why };
}

/** Reasons that no score outweighs: somebody wanted it otherwise, or somebody found something that is still there. */
function mustAsk({ people: { decisions, refusals }, repairing: { carried } }: Work): string | undefined {
  const reasons = [
    ...(decisions.some(({ verdict }) => verdict === 'modify') ? ["it was changed on a person's word"] : []),
    ...(carried.length > 0 ? [`still found: ${textsOf(carried)}`] : []),
    ...refusals,
  ];
  return reasons.length === 0 ? undefined : reasons.join('; ');
}

function textsOf(defects: readonly Defect[]): string {
  return defects
    .slice(0, 5)
    .map(({ description }) => description.slice(0, 200))
    .join('; ');
}

/** Evidence that was not looked for yet may open a gate that is closed. */
function gap(work: Work): PhaseReport | undefined {
  const queries = work.verified.gaps.filter((query) => !work.acting.asked.has(query));
  if (queries.length === 0 || !mayRetrieve(work)) return undefined;
  work.acting.queries = queries;
  return { event: 'retrieval-gap', why: queries.join('; ') };
}

export function reportOn(work: Work, budgetExceeded: boolean): ReturnType<typeof exitReport> {
  const { task, history, parts } = work;
  const text = taskText(work);
  return exitReport({
    task,
    verdict: work.verified,
    outputs: work.made,
    repairs: work.repairing.repairs.length - work.repairing.repairsBefore,
    irreversible: irreversibleIn(work),
    novelty: noveltyOf(text, history.seen, (one, other) => textSimilarity(one, other.text)),
    budgetExceeded,
    settings: parts.exit,
    demands: { rubric: parts.verification.judge.rubric ?? DEFAULT_RUBRIC, control: work.control.settings },
  });
}

export function taskText({ task }: Pick<Work, 'task'>): string {
  return [task.goal, ...task.requirements].join('\n');
}

/** What the plan says of itself, and what was called whatever it says. */
function irreversibleIn({ drawn, parts, run }: Work): readonly string[] {
  const steps = drawn.steps.filter(({ reversibility }) => reversibility === 'irreversible').map(({ id }) => id);
  const { toolset } = stepLoop(parts.execution);
  const called = run.calls().filter(({ tool, ok }) => {
    const known = toolset.get(tool);
    return ok && known !== undefined && effectKindOf(known) === 'irreversible';
  });
  return [...new Set([...steps, ...called.map(({ tool }) => tool)])];
}

/** Asks people about the output as it stands; VERIFY's answer to a yes. */
async function ask(run: Run, work: Work, why: string): Promise<PhaseReport> {
  const answer = await askPeople(run, work, why);
  return answer.event === 'partial' ? { ...answer, event: 'approved' } : answer;
}
