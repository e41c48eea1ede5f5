import { FlyballError } from 'flyball';
import type { Results, SimulationRecord } from '../results/simulation-record.js';
import { PyError } from '../tau2/python/value.js';
import type { Domain } from '../world/environment.js';
import type { Task } from '../world/task.js';
import { type Grade, type GradeOptions, gradeSimulation } from './grade.js';

/** Options of grading recorded simulations again. */
export interface RegradeOptions extends Pick<GradeOptions, 'nlJudge' | 'strict'> {
  /** `file`: the tasks as the file has them; `domain`: as they are now. */
  readonly tasks?: 'file' | 'domain';
}

/**
 * Grades a results file again, ours or somebody else's. The replay is lenient, because the words in which a call was
 * answered may differ between versions; what the calls did to the world is what counts. Simulations that failed for
 * infrastructure stay as they are.
 */
export async function regradeResults(domain: Domain, results: Results, how: RegradeOptions = {}): Promise<Results> {
  const known = new Map((how.tasks === 'domain' ? domain.tasks : results.tasks).map((task) => [task.id, task]));
  const simulations: SimulationRecord[] = [];
  for (const simulation of results.simulations) simulations.push(await regraded(domain, known, simulation, how));
  return { ...results, simulations };
}

async function regraded(
  domain: Domain,
  known: ReadonlyMap<string, Task>,
  simulation: SimulationRecord,
  how: RegradeOptions,
): Promise<SimulationRecord> {
  if (simulation.termination === 'infrastructure_error') return simulation;
  const task = known.get(simulation.taskId);
  if (task === undefined)
    throw new FlyballError(
      'INPUT_INVALID',
      `Simulation ${simulation.id} belongs to task ${simulation.taskId}, which does not exist.`,
    );
  const grade = await graded(domain, task, simulation, how);
  if (grade.kind === 'scored') return { ...simulation, reward: grade.reward, info: withoutReason(simulation.info) };
  return { ...simulation, reward: null, info: { ...simulation.info, unscored: grade.because } };
}

/** The very same where there is none: notes that nobody changed are written back as they came. */
function withoutReason(info: SimulationRecord['info']): SimulationRecord['info'] {
  if (info === null || !Object.hasOwn(info, 'unscored')) return info;
  const { unscored: _, ...rest } = info;
  return rest;
}

async function graded(domain: Domain, task: Task, simulation: SimulationRecord, how: RegradeOptions): Promise<Grade> {
  const refused = simulation.info?.['refusedCallIds'];
  const course = {
    messages: simulation.messages,
    termination: simulation.termination,
    ...(Array.isArray(refused) ? { refused: refused.map(String) } : {}),
  };
  try {
    return await gradeSimulation(domain, task, course, { ...how, strict: how.strict ?? false });
  } catch (error) {
    if (!(error instanceof PyError)) throw error;
    return { kind: 'unscored', because: `It could not be replayed: ${error.message}` };
  }
}
