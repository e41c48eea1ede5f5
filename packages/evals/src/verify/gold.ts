import { ConfigError } from 'flyball';
import { RecordFields } from '../tau2/python/record-fields.js';
import { PyError, type PyValue } from '../tau2/python/value.js';
import type { Domain, Environment } from '../world/environment.js';
import { readCall } from '../world/message-record.js';
import { render } from '../world/render.js';
import type { Task } from '../world/task.js';
import { type Check, checked, type OpenDomain, RECORDED_DOMAIN, recordLines, unlike } from './check.js';
import { missingData } from './data-in-answers.js';

/** Gold calls of tasks, as the evaluator makes them and live. */
export async function* verifyGold(text: string, file: string, open: OpenDomain): AsyncGenerator<Check> {
  for (const record of recordLines(text, file)) {
    const id = record.text('task_id');
    const domain = await open(record.textOrNull('domain') ?? RECORDED_DOMAIN);
    yield checked(`${domain.name} ${id}`, async () => {
      const task = taskOf(domain, id);
      return [...(await evaluated(domain, task, record)), ...(await lived(domain, task, record))];
    });
  }
}

export function taskOf(domain: Domain, id: string): Task {
  const task = domain.tasks.find((one) => one.id === id);
  if (task !== undefined) return task;
  throw new ConfigError(`There is no task "${id}" in the data of ${domain.name}: they are of another revision.`);
}

/** A world without knowledge tools: nothing recorded calls one, and it opens fastest. */
export function quietWorld(domain: Domain, task: Task): Environment {
  return domain.environment({
    task,
    ...(domain.retrievals.includes('no_knowledge') ? { retrieval: 'no_knowledge' } : {}),
  });
}

async function evaluated(domain: Domain, task: Task, record: RecordFields): Promise<readonly string[]> {
  const environment = quietWorld(domain, task);
  const differs = [...unlikeHashes('hash_file', record, environment)];
  await environment.setState(task.initialState, { strict: true });
  differs.push(...unlikeHashes('hash_initial', record, environment));
  for (const step of record.each('steps', (value, path) => new RecordFields(value, path))) {
    const call = readCall(step.dict, step.path);
    const answer = await made(environment, call);
    const recorded = { content: step.text('content'), error: step.boolean('error') };
    const what = `${step.textOrNull('action_id') ?? ''} ${call.name}`;
    differs.push(...unlike(`the error flag of ${what}`, recorded.error, answer.error));
    const lacking = isVerbatim(domain) ? unlike(what, recorded.content, answer.content) : missingData(recorded, answer);
    if (lacking.length > 0) differs.push(`${what} lacks ${JSON.stringify(lacking[0])}`);
    const after = step.textOrNull('db_hash_after');
    if (after !== null) differs.push(...unlike(`the hash after ${what}`, after, environment.hashes().agent));
  }
  differs.push(...unlikeHashes('hash_final', record, environment));
  return differs;
}

/** The bank says the same facts in our words; what the small domain answers is JSON throughout. */
function isVerbatim(domain: Domain): boolean {
  return domain.name !== RECORDED_DOMAIN;
}

async function made(
  environment: Environment,
  call: Parameters<Environment['make']>[0],
): Promise<{ readonly content: string; readonly error: boolean }> {
  try {
    return { content: render(await environment.make(call)), error: false };
  } catch (error) {
    if (!(error instanceof PyError)) throw error;
    return { content: `Error: ${error.message}`, error: true };
  }
}

async function lived(domain: Domain, task: Task, record: RecordFields): Promise<readonly string[]> {
  const environment = quietWorld(domain, task);
  await environment.setState(task.initialState, { strict: true });
  for (const action of task.criteria?.actions ?? []) await environment.respond({ ...action, id: action.actionId });
  const differs = [...unlikeHashes('live_hash_final', record, environment)];
  const recorded = record.value('env_assertions_live');
  if (recorded === null) return differs;
  const met: PyValue[] = [];
  for (const assertion of task.criteria?.envAssertions ?? [])
    met.push((await environment.run(assertion)) === assertion.assertValue);
  return [...differs, ...unlike('env_assertions_live', String(recorded), String(met))];
}

function unlikeHashes(field: string, record: RecordFields, environment: Environment): readonly string[] {
  const recorded = record.fieldsOrNull(field);
  if (recorded === null) return [];
  const { agent, user } = environment.hashes();
  return [
    ...unlike(`${field} of the agent`, recorded.value('agent'), agent),
    ...unlike(`${field} of the user`, recorded.value('user'), user),
  ];
}
