import { RecordFields } from '../../tau2/python/record-fields.js';
import type { PyDict, PyValue } from '../../tau2/python/value.js';
import type { Task } from '../../world/task.js';

/** What the customer of a task does next: says something, or uses a tool of theirs. */
export type Beat = { readonly say: string } | { readonly call: string; readonly with: PyDict };

/** An answer that is given whenever the agent's words hold a phrase, and that takes no beat. */
export interface Aside {
  readonly hears: string;
  readonly say: string;
}

/** A move of the agent on a right course. A search is made with whatever the retrieval configuration offers. */
export type CourseMove =
  | { readonly say: string }
  | { readonly search: string }
  | { readonly call: string; readonly with: PyDict };

/** Both sides of a task's conversation, written down: what it takes to run the domain without a model. */
export interface TaskScript {
  readonly beats: readonly Beat[];
  readonly asides: readonly Aside[];
  /** The requests of the customer, in an order in which they can be done. */
  readonly plan: readonly string[];
  readonly moves: readonly CourseMove[];
}

export function scriptOf(task: Pick<Task, 'id' | 'record'>): TaskScript {
  const record = new RecordFields(task.record, task.id);
  const user = record.fields('user_script');
  const course = record.fields('agent_course');
  return {
    beats: user.each('beats', readBeat),
    asides: user.each('asides', readAside),
    plan: course.list('plan').map(String),
    moves: course.each('moves', readMove),
  };
}

function readBeat(value: PyValue, path: string): Beat {
  const beat = new RecordFields(value, path);
  if (beat.value('call') === null) return { say: beat.text('say') };
  return { call: beat.text('call'), with: beat.fields('with').dict };
}

function readAside(value: PyValue, path: string): Aside {
  const aside = new RecordFields(value, path);
  return { hears: aside.text('hears').toLowerCase(), say: aside.text('say') };
}

function readMove(value: PyValue, path: string): CourseMove {
  const move = new RecordFields(value, path);
  return move.value('search') === null ? readBeat(value, path) : { search: move.text('search') };
}
