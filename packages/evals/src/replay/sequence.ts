import { ConfigError } from 'flyball';
import { parseJson } from '../tau2/python/json.js';
import { RecordFields } from '../tau2/python/record-fields.js';
import { PyError, type PyValue } from '../tau2/python/value.js';
import type { SimCall } from '../world/message.js';
import { readCall } from '../world/message-record.js';
import type { Task } from '../world/task.js';

/** What a recording says a call answered; absent where it does not say. */
export interface Recorded {
  readonly content?: string;
  readonly error?: boolean;
  readonly hash?: string;
}

/** Calls to make in one fresh environment, and how it starts. */
export interface CallSequence {
  /** The recording's own name for it, as it came; its place in the file where it has none. */
  readonly name: PyValue;
  /** Whose initial state comes first. */
  readonly taskId: string | null;
  /** Merged after it, in this order. */
  readonly patches: readonly PyValue[];
  /** Absent: what the task's gold path says. */
  readonly loggedReads?: ReadonlySet<string>;
  readonly calls: readonly { readonly call: SimCall; readonly recorded: Recorded; readonly label?: string }[];
}

/**
 * Reads sequences from lines of JSON. A header line may precede: its `agent_data_patch` is merged into every world that
 * has no `init` of its own. What was recorded of the answers may be absent.
 */
export function readSequences(lines: Iterable<string>, file: string): readonly CallSequence[] {
  let header: PyValue = null;
  const sequences: CallSequence[] = [];
  let number = 0;
  for (const line of lines) {
    number++;
    if (line.trim() === '') continue;
    const place = `${file}:${number}`;
    const record = new RecordFields(parsed(line, place), place);
    if (record.value('header') !== null && record.value('calls') === null) header = record.value('agent_data_patch');
    else if (record.value('calls') === null && record.value('steps') === null)
      throw new ConfigError(`${place} has no calls. A sequence is {"calls": [{"name": …, "arguments": {…}}, …]}.`);
    else sequences.push(sequenceOf(record, header, sequences.length));
  }
  return sequences;
}

function parsed(line: string, place: string): PyValue {
  try {
    return parseJson(line);
  } catch (error) {
    if (!(error instanceof PyError)) throw error;
    throw new ConfigError(
      `${place} is not valid JSON: ${error.message}. Each line must contain one sequence of calls.`,
    );
  }
}

function sequenceOf(record: RecordFields, header: PyValue, index: number): CallSequence {
  const init = record.fieldsOrNull('init');
  const patch = init?.value('agent_data') ?? null;
  const steps = record.value('calls') === null && record.value('steps') !== null ? 'steps' : 'calls';
  return {
    name: record.value('seq') ?? record.value('task_id') ?? BigInt(index + 1),
    taskId: init === null ? (steps === 'steps' ? record.textOrNull('task_id') : null) : init.textOrNull('task_id'),
    patches: [init === null ? header : patch].filter((one) => one !== null),
    loggedReads: new Set(record.eachOrNull('read_log_allowlist', textOf) ?? []),
    calls: record.each(steps, (value, path) => {
      const fields = new RecordFields(value, path);
      const label = fields.textOrNull('action_id');
      return { call: readCall(value, path), recorded: recordedOf(fields), ...(label === null ? {} : { label }) };
    }),
  };
}

function textOf(value: PyValue, path: string): string {
  if (typeof value === 'string') return value;
  throw new ConfigError(`${path} must be the name of a tool.`);
}

function recordedOf(fields: RecordFields): Recorded {
  const [content, hash] = [fields.textOrNull('content'), fields.textOrNull('db_hash_after')];
  return {
    ...(content === null ? {} : { content }),
    ...(fields.value('error') === null ? {} : { error: fields.boolean('error') }),
    ...(hash === null ? {} : { hash }),
  };
}

/** The gold calls of a task, in its own world. */
export function goldSequence(task: Task): CallSequence {
  return {
    name: task.id,
    taskId: task.id,
    patches: [],
    calls: (task.criteria?.actions ?? []).map((action) => ({
      call: { id: action.actionId, name: action.name, arguments: action.arguments, requestor: action.requestor },
      recorded: {},
      label: action.actionId,
    })),
  };
}
