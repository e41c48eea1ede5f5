import { PyError } from '../tau2/python/value.js';
import type { Domain, Environment } from '../world/environment.js';
import type { SimMessage } from '../world/message.js';
import type { InitialState, Task } from '../world/task.js';

/** How a replay is set up: the same for what was done and for what should have been done. */
export interface ReplaySetting {
  readonly domain: Domain;
  readonly task: Task;
  readonly retrieval?: string;
  readonly solo?: boolean;
  /** A replayed call that answers otherwise than recorded fails the evaluation; otherwise it is let pass. */
  readonly strict: boolean;
}

type Hashes = ReturnType<Environment['hashes']>;

const NOTHING: InitialState = { agentData: null, userData: null, actions: null, history: null };

/** Grading calls no retrieval tool, so it takes a configuration that needs no service where there is one. */
export const WITHOUT_SERVICES = 'no_knowledge';

/** The end of what was done: a fresh environment, the task's beginning, and the changing calls of the trajectory. */
export async function predictedEnd(setting: ReplaySetting, messages: readonly SimMessage[]): Promise<Environment> {
  const environment = fresh(setting, setting.solo);
  const beginning = setting.task.initialState ?? NOTHING;
  await environment.setState({ ...beginning, history: messages }, { strict: setting.strict });
  return environment;
}

/**
 * The hash of what should have been done. It follows from the task alone, so it is worked out once a task and domain;
 * only a beginning that holds messages may be replayed strictly or not.
 * A gold call that fails changes nothing more, as in the reference.
 */
export function goldEnd(setting: ReplaySetting): Promise<Hashes> {
  if ((setting.task.initialState?.history ?? []).length > 0) return replayGold(setting);
  const known = ENDS.get(setting.domain) ?? new WeakMap<Task, Promise<Hashes>>();
  ENDS.set(setting.domain, known);
  const end = known.get(setting.task) ?? replayGold(setting);
  known.set(setting.task, end);
  return end;
}

const ENDS = new WeakMap<Domain, WeakMap<Task, Promise<Hashes>>>();

async function replayGold(setting: ReplaySetting): Promise<Hashes> {
  const environment = fresh(setting);
  await environment.setState(setting.task.initialState, { strict: setting.strict });
  for (const action of setting.task.criteria?.actions ?? []) {
    try {
      await environment.make(action);
    } catch (error) {
      // the gold path of the benchmark holds calls that fail: what they are to show is that nothing changed
      if (!(error instanceof PyError)) throw error;
    }
  }
  await environment.close?.();
  return environment.hashes();
}

export function fresh({ domain, task, retrieval }: ReplaySetting, solo?: boolean): Environment {
  const chosen = retrieval ?? (domain.retrievals.includes(WITHOUT_SERVICES) ? WITHOUT_SERVICES : undefined);
  return domain.environment({
    task,
    ...(chosen === undefined ? {} : { retrieval: chosen }),
    ...(solo === undefined ? {} : { solo }),
  });
}
