import type { MachineState } from './machine-state.js';

/** Models like to set marks in bold or as a heading: that makes them no other marks. */
const BEGIN = /^[\s*_#>`]*TASKS:[\s*_`]*$/i;
const END = /^[\s*_#>`]*END_TASKS[\s*_:`]*$/i;
const ITEM = /^\s*(?:\*\*)?(?:\d{1,3}[.)]|[-*•])(?:\*\*)?\s*(.*\S)\s*$/;
/** A model's list is outside text: it is cut to what a plan for one conversation can sensibly hold. */
const MOST_TASKS = 20;
const LONGEST_TASK = 200;

export interface TaskBlock {
  readonly tasks: readonly string[];
  /** The reply without the block: what the other side reads. */
  readonly rest: string;
}

/** The first `TASKS:` … `END_TASKS` block of a reply; undefined where there is none that is closed and holds a task. */
export function taskBlockIn(text: string): TaskBlock | undefined {
  const lines = text.split('\n');
  const begin = lines.findIndex((line) => BEGIN.test(line));
  const end = lines.findIndex((line, at) => at > begin && END.test(line));
  if (begin < 0 || end < 0) return undefined;
  const tasks = lines.slice(begin + 1, end).flatMap((line) => {
    const item = ITEM.exec(line)?.[1];
    return item === undefined ? [] : [item.slice(0, LONGEST_TASK)];
  });
  if (tasks.length === 0) return undefined;
  const rest = [...lines.slice(0, begin), ...lines.slice(end + 1)].join('\n').trim();
  return { tasks: tasks.slice(0, MOST_TASKS), rest };
}

/** The queue as the model sees it while it works it off. */
export function queueHint({
  pendingTasks,
  completedTasks,
}: Pick<MachineState, 'pendingTasks' | 'completedTasks'>): string {
  const pending = pendingTasks.map((task, at) => `${at + 1}. ${task}`).join(', ');
  return `\n<task_queue>\nPending: ${pending}\nCompleted: ${completedTasks.join(', ') || 'none'}\n</task_queue>`;
}
