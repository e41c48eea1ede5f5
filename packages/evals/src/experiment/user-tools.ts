import type { Environment } from '../world/environment.js';
import type { Task } from '../world/task.js';

/** The tools a task lets its user use: all of the domain where it says nothing, none where it names one that is not. */
export function userToolNames(environment: Environment, task: Task): ReadonlySet<string> {
  const known = new Set((environment.user?.schemas ?? []).map(({ name }) => name));
  if (task.userTools === null) return known;
  return task.userTools.every((name) => known.has(name)) ? new Set(task.userTools) : new Set();
}
