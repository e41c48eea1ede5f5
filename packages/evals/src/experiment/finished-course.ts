import type { NlJudge } from '../grading/reward.js';
import type { Course, Termination } from '../simulation/party.js';
import { dumpJson, parseJson } from '../tau2/python/json.js';
import { plainOf, pyOf } from '../tau2/python/plain-values.js';
import { RecordFields } from '../tau2/python/record-fields.js';
import type { PyDict, PyValue } from '../tau2/python/value.js';
import { readMessage, writeMessage } from '../world/message-record.js';

/** What the judge said, or why it cannot be read. */
export type Judged =
  | { readonly kind: 'judged'; readonly checks: Awaited<ReturnType<NlJudge>> }
  | { readonly kind: 'unreadable'; readonly because: string };

/** What one simulation's run ends with. */
export interface Finished {
  readonly course: Course;
  readonly judged: Judged | null;
  /** Ours, for the record's `info`. */
  readonly info: Readonly<Record<string, unknown>>;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** As text, because whole numbers and floats are different values in a trajectory and one kind in a journal. */
export function finishedText({ course, judged, info, startedAt, endedAt }: Finished): string {
  const record: PyDict = new Map<string, PyValue>([
    ['messages', course.messages.map(writeMessage)],
    ['termination', course.termination],
    ['steps', BigInt(course.steps)],
    ['errors', BigInt(course.errors)],
    ['agent_cost', course.agentCost],
    ['user_cost', course.userCost],
    ['refused', [...(course.refused ?? [])]],
    ['judged', pyOf(judged)],
    ['info', pyOf(info)],
    ['started_at', startedAt],
    ['ended_at', endedAt],
  ]);
  return dumpJson(record);
}

export function readFinished(text: string): Finished {
  const fields = new RecordFields(parseJson(text), 'the run');
  const refused = fields.each('refused', String);
  return {
    course: {
      messages: fields.each('messages', readMessage),
      termination: fields.text('termination') as Termination,
      steps: fields.number('steps'),
      errors: fields.number('errors'),
      agentCost: fields.numberOrNull('agent_cost'),
      userCost: fields.numberOrNull('user_cost'),
      ...(refused.length === 0 ? {} : { refused }),
    },
    judged: plainOf(fields.value('judged')) as Judged | null,
    info: plainOf(fields.value('info')) as Readonly<Record<string, unknown>>,
    startedAt: fields.number('started_at'),
    endedAt: fields.number('ended_at'),
  };
}
