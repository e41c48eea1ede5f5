import { pyOf } from '../../packages/evals/src/tau2/python/plain-values.js';
import { sha256Hex } from '../../packages/evals/src/tau2/python/sha.js';
import { type PyDict, PyError, type PyValue } from '../../packages/evals/src/tau2/python/value.js';
import type { Domain, Environment, Toolkit, ToolType } from '../../packages/evals/src/world/environment.js';
import { makeEnvironment } from '../../packages/evals/src/world/live-environment.js';
import { readTask } from '../../packages/evals/src/world/read-task.js';
import type { Task } from '../../packages/evals/src/world/task.js';

/** A world with one number in it: small enough to see what a harness does to it. */

interface Counter {
  value: bigint;
  reads: number;
}

const TYPES: Readonly<Record<string, ToolType>> = { add: 'write', read: 'read' };

function kit(counter: Counter, onCall: (name: string) => void): Toolkit {
  return {
    schemas: ['add', 'read'].map((name) => ({ name, description: `${name}s`, parameters: { type: 'object' } })),
    has: (name) => name in TYPES,
    typeOf: (name) => TYPES[name] ?? 'generic',
    mutates: (name) => TYPES[name] === 'write',
    call: (name, args) => {
      onCall(name);
      if (name === 'add') return added(counter, args);
      if (name !== 'read') throw new PyError('ValueError', `Tool '${name}' not found.`);
      counter.reads++;
      return `It is ${counter.value} after ${counter.reads} reads.`;
    },
    invoke: () => true,
    hash: () => sha256Hex(String(counter.value)),
  };
}

function added(counter: Counter, args: PyDict): PyValue {
  const amount = args.get('amount');
  if (typeof amount !== 'bigint') throw new PyError('TypeError', 'amount must be a whole number');
  counter.value += amount;
  return `It is ${counter.value}.`;
}

export interface CounterDomain extends Domain {
  /** Calls that reached an environment, in order. */
  readonly calls: string[];
}

/** Tasks `sum-1` … `sum-n`: add 1, read, add the number of the task; `judged` asks a judge as well. */
export function counterDomain(tasks = 3): CounterDomain {
  const calls: string[] = [];
  return {
    name: 'counter',
    calls,
    tasks: Array.from({ length: tasks }, (_, index) => sumTask(index + 1)),
    taskSets: new Map(),
    retrievals: [],
    defaultRetrieval: undefined,
    environment: (): Environment =>
      makeEnvironment({
        domain: 'counter',
        policy: 'Count.',
        agent: kit({ value: 0n, reads: 0 }, (name) => calls.push(name)),
      }),
    userGuidelines: () => 'Be a user.',
    compliance: { writes: new Set(['add']), verification: undefined, exempt: new Set() },
  };
}

export function sumTask(nth: number, more: Readonly<Record<string, unknown>> = {}): Task {
  const action = (id: number, name: string, args: object): object => ({
    action_id: `${nth}_${id}`,
    name,
    arguments: args,
  });
  const criteria = {
    actions: [action(0, 'add', { amount: 1 }), action(1, 'read', {}), action(2, 'add', { amount: nth })],
    reward_basis: ['DB'],
    ...more,
  };
  const scenario = { instructions: `Have ${nth + 1} counted.` };
  return readTask(pyOf({ id: `sum-${nth}`, user_scenario: scenario, user_tools: [], evaluation_criteria: criteria }));
}
