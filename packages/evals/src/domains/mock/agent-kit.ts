import { pyEquals } from '../../tau2/python/equality.js';
import type { Bound, Parameter } from '../../tau2/python/signature.js';
import { str } from '../../tau2/python/text.js';
import { PyError, type PyValue } from '../../tau2/python/value.js';
import type { Model } from '../../world/model.js';
import type { KitFunction, KitTool } from '../../world/toolkit.js';
import type { ModelDatabase } from './model-database.js';
import { modelOf, TASK } from './models.js';

export const required = (name: string): Parameter => ({ name, required: true });
export const optional = (name: string): Parameter => ({ name, required: false, default: null });

export function argument(args: Bound, name: string): PyValue {
  return args.get(name) ?? null;
}

/** What is looked up by an id that a caller gave. */
export function known(database: ModelDatabase, shelf: string, noun: string, id: PyValue): Model {
  const found = database.find(shelf, id);
  if (found === undefined) throw new PyError('ValueError', `${noun} ${str(id)} not found`);
  return found;
}

function createTask(database: ModelDatabase, args: Bound): PyValue {
  const user = known(database, 'users', 'User', argument(args, 'user_id'));
  const tasks = database.shelf('tasks');
  const id = `task_${tasks.size + 1}`;
  const values = new Map<string, PyValue>([
    ['task_id', id],
    ['title', argument(args, 'title')],
    ['description', argument(args, 'description')],
    ['status', 'pending'],
  ]);
  const task = modelOf(TASK, values);
  tasks.set(id, task);
  user.set('tasks', [...(user.get('tasks') as PyValue[]), id]);
  return task;
}

export const AGENT_TOOLS: readonly KitTool<ModelDatabase>[] = [
  {
    name: 'create_task',
    type: 'write',
    parameters: [required('user_id'), required('title'), optional('description')],
    run: createTask,
  },
  {
    name: 'get_users',
    type: 'read',
    parameters: [],
    run: (database) => [...database.shelf('users').values()],
  },
  {
    name: 'update_task_status',
    type: 'write',
    parameters: [required('task_id'), required('status')],
    run(database, args) {
      // the reference checks a status when a task is made, not when it is changed
      return known(database, 'tasks', 'Task', argument(args, 'task_id')).set('status', argument(args, 'status'));
    },
  },
  {
    name: 'transfer_to_human_agents',
    type: 'generic',
    parameters: [required('summary')],
    run: () => 'Transfer successful',
  },
];

export const AGENT_FUNCTIONS: readonly KitFunction<ModelDatabase>[] = [
  {
    name: 'assert_number_of_tasks',
    parameters: [required('user_id'), required('expected_number')],
    run(database, args) {
      const user = known(database, 'users', 'User', argument(args, 'user_id'));
      return pyEquals(BigInt((user.get('tasks') as PyValue[]).length), argument(args, 'expected_number'));
    },
  },
  {
    name: 'assert_task_status',
    parameters: [required('task_id'), required('expected_status')],
    run(database, args) {
      const task = known(database, 'tasks', 'Task', argument(args, 'task_id'));
      return pyEquals(task.get('status') ?? null, argument(args, 'expected_status'));
    },
  },
];
