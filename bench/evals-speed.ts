// shows: R5-SHOW-SPEED
/** Gold replay and evaluation of the 97 banking tasks, a task, beside what the Python reference takes. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Domain, domainSource, gradeSimulation, type SimMessage, type Task } from '@flyball/evals';
import { dataFolder } from '@flyball/evals/files';
import { figure, median, quantile } from './measure/figures.js';
import { atLeast, heading, judge, table } from './measure/report.js';

/** Milliseconds a task on this class of machine, one core, knowledge base cached. */
const REFERENCE = { replay: 8, evaluation: 55 } as const;
const TIMES_FASTER = 10;
const WARM_UP = 3;
const ROUNDS = Number(process.argv[2] ?? 15);
/** Without documents, and with a search over all of them: neither needs a service. */
const RETRIEVALS = ['no_knowledge', 'bm25'] as const;

type Work = keyof typeof REFERENCE;
type Courses = ReadonlyMap<Task, readonly SimMessage[]>;

/** What the evaluator does for the end that should be: a fresh world, the task's beginning, its gold calls, the hash. */
async function replay(domain: Domain, task: Task, retrieval: string): Promise<void> {
  const world = domain.environment({ task, retrieval });
  await world.setState(task.initialState, { strict: true });
  for (const action of task.criteria?.actions ?? []) {
    try {
      await world.make(action);
    } catch {
      // four gold calls of the benchmark fail by themselves
    }
  }
  world.hashes();
}

/** The conversation of an agent and a user that make the gold calls and nothing else. */
async function goldCourse(domain: Domain, task: Task): Promise<readonly SimMessage[]> {
  const world = domain.environment({ task, retrieval: 'no_knowledge' });
  await world.setState(task.initialState, { strict: true });
  const messages: SimMessage[] = [];
  for (const action of task.criteria?.actions ?? []) {
    const call = { id: action.actionId, name: action.name, arguments: action.arguments, requestor: action.requestor };
    const spoken = { role: action.requestor, content: null, calls: [call], cost: 0, at: messages.length } as const;
    messages.push(spoken, { ...(await world.respond(call)), at: messages.length + 1 });
  }
  return [...messages, { role: 'user', content: '###STOP###', calls: [], cost: 0, at: messages.length }];
}

async function evaluate(domain: Domain, task: Task, courses: Courses, retrieval: string): Promise<void> {
  const grade = await gradeSimulation(
    domain,
    task,
    { messages: courses.get(task) ?? [], termination: 'user_stop' },
    {
      retrieval,
      nlJudge: async (all) => all.map((assertion) => ({ assertion, met: true, because: 'not judged here' })),
    },
  );
  if (grade.kind !== 'scored' || grade.reward.reward !== 1) throw new Error(`${task.id} is not graded 1.`);
}

/** Of the processor, not of the clock: the reference's figures are of one core for itself, which a shared machine has not. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Mean milliseconds a task, one figure a round. */
async function measured(domain: Domain, courses: Courses, retrieval: string): Promise<Record<Work, number[]>> {
  const times: Record<Work, number[]> = { replay: [], evaluation: [] };
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    // evaluation keeps what a task's gold calls come to for its domain: a new one each round, so that nothing is left out
    const fresh = { ...domain };
    const works: Record<Work, (task: Task) => Promise<void>> = {
      replay: (task) => replay(fresh, task, retrieval),
      evaluation: (task) => evaluate(fresh, task, courses, retrieval),
    };
    for (const work of ['replay', 'evaluation'] as const) {
      const began = processorMs();
      for (const task of fresh.tasks) await works[work](task);
      if (round >= 0) times[work].push((processorMs() - began) / fresh.tasks.length);
    }
  }
  return times;
}

const beside = fileURLToPath(new URL('../../../shared/tau2/data', import.meta.url));
const place = process.env['FLYBALL_TAU2'] ?? beside;
heading('Replaying and evaluating banking tasks', [
  `Mean milliseconds of the processor a task over all tasks, ${ROUNDS} rounds after ${WARM_UP} to warm up.`,
  "The reference's figures were measured in Python on this class of machine and are quoted, not measured in this run.",
]);
if (!existsSync(place)) {
  console.log(`  Skipped: there are no data of the benchmark in ${place}. Set FLYBALL_TAU2.\n`);
} else {
  const domain = await domainSource('banking_knowledge').load(dataFolder(place));
  const courses = new Map<Task, readonly SimMessage[]>();
  for (const task of domain.tasks) courses.set(task, await goldCourse(domain, task));
  const rows: { name: string; work: Work; times: readonly number[] }[] = [];
  for (const retrieval of RETRIEVALS) {
    const times = await measured(domain, courses, retrieval);
    for (const work of ['replay', 'evaluation'] as const) {
      rows.push({ name: `${work} of ${domain.tasks.length} tasks, ${retrieval}`, work, times: times[work] });
    }
  }
  table(
    ['', 'ms, median', 'ms, slowest tenth', 'reference', 'times faster'],
    rows.map(({ name, work, times }) => [
      name,
      figure(median(times)),
      figure(quantile(times, 0.9)),
      figure(REFERENCE[work]),
      figure(REFERENCE[work] / median(times)),
    ]),
  );
  judge(
    rows.map(({ name, work, times }) => {
      const ratio = REFERENCE[work] / median(times);
      return {
        says: `${name}: ${figure(ratio)} × as fast as the reference (at least ${TIMES_FASTER})`,
        met: atLeast(ratio, TIMES_FASTER, 0.1),
      };
    }),
  );
}
