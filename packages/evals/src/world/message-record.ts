import { plainOf, pyOf } from '../tau2/python/plain-values.js';
import { RecordFields } from '../tau2/python/record-fields.js';
import { instantIn, timestamp } from '../tau2/python/timestamps.js';
import type { PyDict, PyValue } from '../tau2/python/value.js';
import type { Requestor, SimCall, SimMessage, SpokenMessage, ToolMessage, Usage } from './message.js';

const SIDES: readonly Requestor[] = ['assistant', 'user'];

/** Reads a message as tasks and results files hold it. Fields that only voice uses are not kept. */
export function readMessage(value: PyValue, path = 'message'): SimMessage {
  const record = new RecordFields(value, path);
  const role = record.oneOf('role', ['assistant', 'user', 'tool']);
  return role === 'tool' ? readResult(record) : readSpoken(record, role);
}

function readResult(record: RecordFields): ToolMessage {
  return {
    role: 'tool',
    id: record.textOrNull('id') ?? '',
    content: record.textOrNull('content') ?? '',
    requestor: sideOf(record),
    error: record.value('error') !== null && record.boolean('error'),
    at: timeOf(record),
  };
}

function readSpoken(record: RecordFields, role: Requestor): SpokenMessage {
  const usage = record.fieldsOrNull('usage');
  const seconds = record.numberOrNull('generation_time_seconds');
  const raw = record.value('raw_data');
  const calls = record.eachOrNull('tool_calls', readCall);
  return {
    role,
    content: record.textOrNull('content'),
    calls: calls ?? [],
    ...(calls?.length === 0 ? { emptyCallList: true } : {}),
    cost: record.numberOrNull('cost'),
    ...(usage === null ? {} : { usage: readUsage(usage) }),
    ...(seconds === null ? {} : { generationSeconds: seconds }),
    ...(raw === null ? {} : { raw: plainOf(raw) }),
    at: timeOf(record),
  };
}

export function readCall(value: PyValue, path = 'call'): SimCall {
  const record = new RecordFields(value, path);
  return {
    id: record.textOrNull('id') ?? '',
    name: record.text('name'),
    arguments: record.fields('arguments').dict,
    requestor: sideOf(record),
  };
}

/** Who made a call: the assistant where nothing is said. */
export function sideOf(record: RecordFields): Requestor {
  return record.value('requestor') === null ? 'assistant' : record.oneOf('requestor', SIDES);
}

/** Zero where it has no time. */
function timeOf(record: RecordFields): number {
  return record.value('timestamp') === null ? 0 : instantIn(record, 'timestamp');
}

function readUsage(usage: RecordFields): Usage {
  const cached = usage.value('prompt_tokens_details') instanceof Map;
  const calls = usage.numberOrNull('model_calls');
  const share = cached ? usage.fields('prompt_tokens_details').numberOrNull('cached_tokens') : null;
  return {
    completionTokens: usage.numberOrNull('completion_tokens') ?? 0,
    promptTokens: usage.numberOrNull('prompt_tokens') ?? 0,
    ...(share === null ? {} : { cacheReadTokens: share }),
    ...(calls === null ? {} : { modelCalls: calls }),
  };
}

/** Writes a message with all the fields that the reference's own files have: seven of a result, 22 of the others. */
export function writeMessage(message: SimMessage, turn: number): PyDict {
  return message.role === 'tool' ? writeResult(message, turn) : writeSpoken(message, turn);
}

function writeResult(message: ToolMessage, turn: number): PyDict {
  return new Map<string, PyValue>([
    ['id', message.id],
    ['role', 'tool'],
    ['content', message.content],
    ['requestor', message.requestor],
    ['error', message.error],
    ['turn_idx', BigInt(turn)],
    ['timestamp', timestamp(message.at)],
  ]);
}

/** Fields of spoken simulations, which the text ones leave empty. */
const VOICE = ['audio_format', 'audio_path', 'audio_script_gold', 'speech_effects', 'source_effects']
  .concat(['channel_effects', 'turn_taking_action', 'utterance_ids', 'chunk_id'])
  .map((name): [string, PyValue] => [name, null]);

function writeSpoken(message: SpokenMessage, turn: number): PyDict {
  return new Map<string, PyValue>([
    ['role', message.role],
    ['content', message.content],
    ['tool_calls', message.calls.length > 0 || message.emptyCallList === true ? message.calls.map(writeCall) : null],
    ['is_audio', false],
    ['turn_idx', BigInt(turn)],
    ['timestamp', timestamp(message.at)],
    ['cost', message.cost],
    ['usage', message.usage === undefined ? null : writeUsage(message.usage)],
    ['raw_data', pyOf(message.raw)],
    ['generation_time_seconds', message.generationSeconds ?? null],
    ...VOICE,
    ['is_final_chunk', true],
    ['source', null],
    ['contains_speech', true],
  ]);
}

export function writeCall(call: SimCall): PyDict {
  return new Map<string, PyValue>([
    ['id', call.id],
    ['name', call.name],
    ['arguments', call.arguments],
    ['requestor', call.requestor],
  ]);
}

function writeUsage({ completionTokens, promptTokens, cacheReadTokens, modelCalls }: Usage): PyDict {
  const usage: PyDict = new Map([
    ['completion_tokens', BigInt(completionTokens)],
    ['prompt_tokens', BigInt(promptTokens)],
  ]);
  if (cacheReadTokens !== undefined) {
    usage.set('prompt_tokens_details', new Map([['cached_tokens', BigInt(cacheReadTokens)]]));
  }
  if (modelCalls !== undefined) usage.set('model_calls', BigInt(modelCalls));
  return usage;
}
