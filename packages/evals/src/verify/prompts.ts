import { setupText } from 'flyball/internal';
import { userToolNames } from '../experiment/user-tools.js';
import { userPrompt } from '../simulation/user-prompt.js';
import { parseJson } from '../tau2/python/json.js';
import { RecordFields } from '../tau2/python/record-fields.js';
import { sha256Hex } from '../tau2/python/sha.js';
import { lengthOf } from '../tau2/python/text.js';
import type { PyDict, PyValue } from '../tau2/python/value.js';
import type { Domain } from '../world/environment.js';
import { type Check, checked, type OpenDomain, RECORDED_DOMAIN, unlike } from './check.js';
import { quietWorld, taskOf } from './gold.js';

/** Assembled prompts: as texts where the recording has them, by their hash and length where not. */
export async function* verifyPrompts(text: string, file: string, open: OpenDomain): AsyncGenerator<Check> {
  const record = new RecordFields(parseJson(text), file);
  const domain = await open(record.textOrNull('domain') ?? RECORDED_DOMAIN);
  for (const [retrieval, value] of entriesOf(record, 'variants'))
    yield checked(`policy of ${retrieval}`, async () => unlikeText(value, policy(domain, retrieval)));
  for (const field of ['golden_retrieval_per_task', 'golden_examples'])
    for (const [id, value] of entriesOf(record, field))
      yield checked(`golden policy of ${id}`, async () => golden(domain, id, value));
  for (const field of ['user_system_prompts', 'user_system_prompt_example'])
    for (const [id, value] of entriesOf(record, field))
      yield checked(`user prompt of ${id}`, async () => userText(domain, id, value));
  yield* agentPrompt(record, domain);
}

async function* agentPrompt(record: RecordFields, domain: Domain): AsyncGenerator<Check> {
  const instruction = record.textOrNull('agent_instruction');
  const own = domain.agentInstruction ?? '';
  if (instruction !== null) yield checked('agent instruction', async () => unlike('the text', instruction, own));
  const template = record.textOrNull('agent_system_prompt_template');
  if (template === null) return;
  const filled = template.replace('{agent_instruction}', () => own).replace('{domain_policy}', () => 'P');
  yield checked('agent prompt', async () => unlike('the text', filled, setupText({ instructions: own, policy: 'P' })));
}

function entriesOf(record: RecordFields, field: string): Iterable<readonly [string, PyValue]> {
  return record.fieldsOrNull(field)?.dict ?? [];
}

function policy(domain: Domain, retrieval: string): string {
  return domain.environment({ retrieval }).policy;
}

function golden(domain: Domain, id: string, value: PyValue): readonly string[] {
  const task = taskOf(domain, id);
  const docs = value instanceof Map ? value.get('docs') : undefined;
  return [
    ...unlikeText(value, domain.environment({ task, retrieval: 'golden_retrieval' }).policy),
    ...(docs === undefined ? [] : unlike('the documents', String(docs), String(task.requiredDocuments))),
  ];
}

function userText(domain: Domain, id: string, value: PyValue): readonly string[] {
  const task = taskOf(domain, id);
  const hasTools = userToolNames(quietWorld(domain, task), task).size > 0;
  const recorded = value instanceof Map ? value.get('has_tools') : undefined;
  return [
    ...(recorded === undefined ? [] : unlike('whether the user has tools', recorded, hasTools)),
    ...unlikeText(value, userPrompt(domain, task, hasTools)),
  ];
}

function unlikeText(recorded: PyValue, own: string): readonly string[] {
  if (typeof recorded === 'string') return unlike('the text', recorded, own);
  const {
    text = null,
    sha256 = null,
    chars = null,
  } = Object.fromEntries(recorded as PyDict) as Record<string, PyValue>;
  return [
    ...(text === null ? [] : unlike('the text', text, own)),
    ...(sha256 === null ? [] : unlike('the hash', sha256, sha256Hex(own))),
    ...(chars === null ? [] : unlike('the length', Number(chars), lengthOf(own))),
  ];
}
