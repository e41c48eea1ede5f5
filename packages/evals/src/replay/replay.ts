import { ConfigError } from 'flyball';
import type { PyDict, PyValue } from '../tau2/python/value.js';
import type { Domain, Environment } from '../world/environment.js';
import type { CallSequence, Recorded } from './sequence.js';

/** What one call did. */
export interface ReplayedCall {
  readonly sequence: PyValue;
  readonly index: number;
  readonly label?: string;
  readonly name: string;
  readonly requestor: string;
  readonly content: string;
  readonly error: boolean;
  /** Of the agent's database after the call, and of the user's where that is another. */
  readonly hash: string | null;
  readonly userHash: string | null;
  /** In what it differs from the recording, where there is one. Texts are ours, so they are not compared. */
  readonly differs: readonly string[];
}

/** Runs a sequence in a fresh environment, call by call. */
export async function* replaySequence(domain: Domain, sequence: CallSequence): AsyncGenerator<ReplayedCall> {
  const environment = await openWorld(domain, sequence);
  for (const [index, { call, recorded, label }] of sequence.calls.entries()) {
    const { content, error } = await environment.respond({ ...call, id: call.id || String(index) });
    const { agent, user } = environment.hashes();
    yield {
      sequence: sequence.name,
      index,
      ...(label === undefined ? {} : { label }),
      name: call.name,
      requestor: call.requestor,
      content,
      error,
      hash: agent,
      userHash: user === agent ? null : user,
      differs: differences(recorded, error, agent),
    };
  }
}

/** A fresh world, set up as a sequence begins. */
export async function openWorld(domain: Domain, { taskId, patches, loggedReads }: CallSequence): Promise<Environment> {
  const task = taskId === null ? undefined : domain.tasks.find(({ id }) => id === taskId);
  if (taskId !== null && task === undefined)
    throw new ConfigError(`There is no task "${taskId}" in ${domain.name}. \`flyball evals list\` shows its tasks.`);
  const quiet = domain.retrievals.includes('no_knowledge') ? { retrieval: 'no_knowledge' } : {};
  const environment = domain.environment({
    ...quiet,
    ...(task === undefined ? {} : { task }),
    ...(loggedReads === undefined ? {} : { loggedReads }),
  });
  await environment.setState(task?.initialState ?? null, { strict: true });
  for (const agentData of patches)
    await environment.setState({ agentData, userData: null, actions: null, history: null }, { strict: true });
  return environment;
}

function differences(recorded: Recorded, error: boolean, hash: string | null): readonly string[] {
  return [
    ...(recorded.error === undefined || recorded.error === error
      ? []
      : [`error is ${error}, recorded ${recorded.error}`]),
    ...(recorded.hash === undefined || recorded.hash === hash
      ? []
      : [`database is ${hash}, recorded ${recorded.hash}`]),
  ];
}

/** One line of output: names as the recordings have them. */
export function replayRecord(call: ReplayedCall): PyDict {
  const fields: [string, PyValue][] = [
    ['seq', call.sequence],
    ['index', BigInt(call.index)],
    ...(call.label === undefined ? [] : ([['action_id', call.label]] as [string, PyValue][])),
    ['name', call.name],
    ['requestor', call.requestor],
    ['content', call.content],
    ['error', call.error],
    ['db_hash_after', call.hash],
    ...(call.userHash === null ? [] : ([['user_db_hash_after', call.userHash]] as [string, PyValue][])),
  ];
  return new Map(fields);
}
