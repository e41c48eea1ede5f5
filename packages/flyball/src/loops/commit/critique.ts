import type { CritiqueDiagnosis } from '../../checks/contracts.js';
import type { Run } from '../../core/run.js';
import type { Defect, DimensionName } from '../../core/work.js';
import type { GateResult } from './contracts.js';
import type { PhaseReport, Work } from './work.js';

/** CRITIQUE: a session that sees task, output, evidence and rubric says what is wrong and where. */
export async function critiquePhase(run: Run, work: Work): Promise<PhaseReport> {
  const said = await work.parts.criticize(run, work.subject, work.verified);
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
function withClosedGates(diagnosis: CritiqueDiagnosis, { exit, repairing: { carried } }: Work): CritiqueDiagnosis {
  // the same finding has another id where its place has moved
  const known = new Set(diagnosis.defects.flatMap(({ id, description }) => [id, description]));
  const others = carried.filter(({ id, description }) => !known.has(id) && !known.has(description));
  const found = [...diagnosis.defects, ...others];
  const dimensions = new Set(found.map(({ dimension }) => dimension));
  const closed = (exit?.gates ?? [])
    .filter(({ passed, note }) => !passed && note === undefined) // with one it was not measured
    .flatMap((gate) => {
      const dimension = DIMENSION_OF[gate.gate];
      return dimension === undefined || dimensions.has(dimension) ? [] : [defectOf(gate, dimension)];
    });
  const defects = [...found, ...closed];
  return { ...diagnosis, defects, severity: Math.max(0, ...defects.map(({ severity }) => severity)) };
}

function defectOf({ gate, score, threshold }: GateResult, dimension: DimensionName): Defect {
  return {
    id: `gate-${gate}`,
    dimension,
    description: `${gate} is at ${score.toFixed(2)}, and ${threshold} is needed`,
    severity: Math.min(1, Math.max(0.1, threshold - score)),
    scope: 'global',
    foundBy: 'gate',
    facts: { gate, score, threshold },
  };
}

/** A schema failure has no critique: what the check found is the diagnosis. */
export function fromVerdict({ verified }: Work): CritiqueDiagnosis {
  const { scores, defects } = verified;
  return { scores, defects, severity: Math.max(0, ...defects.map(({ severity }) => severity)), hints: [] };
}
