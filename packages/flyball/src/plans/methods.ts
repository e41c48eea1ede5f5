import { stateAfter, unmetPreconditions } from './facts.js';
import type { Plan, PlanStep } from './plan.js';
import { MAX_STEPS, readPlan } from './read-plan.js';

/** A task that can be carried out as it is: a step without its place in a plan. What is left out is filled in. */
export type Primitive = Pick<PlanStep, 'description'> & Partial<Omit<PlanStep, 'id' | 'dependsOn' | 'bindings'>>;

/** A part of a method. */
export interface SubTask {
  /** Primitive or abstract. */
  readonly task: string;
  /** Its name among the others of the method; the task where it is left out. */
  readonly as?: string;
  /** Partial methods: the names of those that come before it. */
  readonly after?: readonly string[];
}

/** One way to carry out an abstract task. */
export interface Method {
  readonly name: string;
  /** Conditions under which it can be used; `!x` must not hold. */
  readonly preconditions?: readonly string[];
  readonly ordering: 'total' | 'partial';
  readonly subTasks: readonly SubTask[];
  /** Cheaper methods are tried first; 0 where it is left out. */
  readonly cost?: number;
}

/** Tasks and the methods that break them down. */
export interface MethodLibrary {
  readonly primitives: Readonly<Record<string, Primitive>>;
  /** By abstract task. */
  readonly methods: Readonly<Record<string, readonly Method[]>>;
}

/** A plan made from methods, or why there is none. */
export type Decomposed =
  | { readonly ok: true; readonly plan: Plan }
  | { readonly ok: false; readonly problem: string; readonly task: string };

/** Methods may name their own task again: this ends them. */
const MAX_DEPTH = 16;
/** Tasks that are looked at before giving up. */
const MAX_LOOKS = 5_000;

/**
 * Breaks a task down to primitive ones by the methods that apply, cheapest first, with the order between them as
 * dependencies. What applies is decided on the facts as they are after the steps before; where a method leads nowhere,
 * also further on, the next one is tried. A failure names the first task that nothing could be done about.
 */
export function decompose(
  task: string,
  library: MethodLibrary,
  facts: readonly string[],
  cost: (method: Method, facts: readonly string[]) => number = (method) => method.cost ?? 0,
): Decomposed {
  const search: Search = { library, facts, cost, looks: MAX_LOOKS };
  for (const { nodes } of expand({ task, entry: [], depth: 0 }, [], search)) return asPlan(task, nodes);
  const failure = search.failure ?? { task, problem: `Nothing can be done about ${task}` };
  return { ok: false, problem: `${failure.problem}.`, task: failure.task };
}

interface Node {
  readonly task: string;
  readonly step: Primitive;
  /** Places of the nodes it waits for. */
  readonly after: readonly number[];
}

interface Search {
  readonly library: MethodLibrary;
  readonly facts: readonly string[];
  readonly cost: (method: Method, facts: readonly string[]) => number;
  looks: number;
  failure?: { readonly task: string; readonly problem: string };
}

interface Place {
  readonly task: string;
  /** Nodes that must be over before it. */
  readonly entry: readonly number[];
  readonly depth: number;
}

/** The nodes so far with the task's own appended, and those of them that whoever follows has to wait for. */
interface Expansion {
  readonly nodes: readonly Node[];
  readonly exits: readonly number[];
}

function* expand(place: Place, nodes: readonly Node[], search: Search): Generator<Expansion> {
  const { task, entry, depth } = place;
  if (--search.looks < 0) return fail(search, task, `${MAX_LOOKS} tasks were looked at without an end`);
  if (depth > MAX_DEPTH) return fail(search, task, `Task ${task} lies deeper than ${MAX_DEPTH} methods`);
  if (nodes.length >= MAX_STEPS) return fail(search, task, `The plan grows past ${MAX_STEPS} steps`);
  const state = stateBefore(entry, nodes, search.facts);
  const step = own(search.library.primitives, task);
  if (step !== undefined) {
    const unmet = unmetPreconditions({ preconditions: step.preconditions ?? [] }, state);
    if (unmet.length > 0)
      return fail(search, task, `Task ${task} needs ${unmet.join(', ')}, which does not hold there`);
    yield { nodes: [...nodes, { task, step, after: entry }], exits: [nodes.length] };
    return;
  }
  const methods = applicable(task, state, search);
  if (methods.length === 0) return fail(search, task, `No method applies to the task ${task}`);
  for (const method of methods) yield* expandMethod(method, place, nodes, search);
}

function applicable(task: string, state: readonly string[], { library, cost }: Search): readonly Method[] {
  return (own(library.methods, task) ?? [])
    .filter(({ preconditions = [] }) => unmetPreconditions({ preconditions }, state).length === 0)
    .map((method) => ({ method, price: cost(method, state) }))
    .sort((a, b) => a.price - b.price)
    .map(({ method }) => method);
}

function* expandMethod(method: Method, place: Place, nodes: readonly Node[], search: Search): Generator<Expansion> {
  const tasks = method.ordering === 'total' ? chained(method.subTasks) : method.subTasks;
  const sequence = inOrder(tasks);
  if (sequence === undefined)
    return fail(
      search,
      place.task,
      `The sub-tasks of the method ${method.name} share a name, wait for each other, or wait for one that is not there`,
    );
  const named = new Set(sequence.flatMap(({ after = [] }) => after));
  const ends = sequence.map(nameOf).filter((name) => !named.has(name));
  const walk = function* (
    index: number,
    sofar: readonly Node[],
    exits: ReadonlyMap<string, readonly number[]>,
  ): Generator<Expansion> {
    const subTask = sequence[index];
    if (subTask === undefined) {
      const last = ends.flatMap((name) => exits.get(name) ?? []);
      yield { nodes: sofar, exits: sequence.length === 0 ? place.entry : unique(last) };
      return;
    }
    const waits = (subTask.after ?? []).flatMap((name) => exits.get(name) ?? []);
    const entry = waits.length > 0 ? unique(waits) : place.entry;
    for (const done of expand({ task: subTask.task, entry, depth: place.depth + 1 }, sofar, search))
      yield* walk(index + 1, done.nodes, new Map([...exits, [nameOf(subTask), done.exits]]));
  };
  yield* walk(0, nodes, new Map());
}

function nameOf({ as, task }: SubTask): string {
  return as ?? task;
}

/** A total order is a partial one in which each waits for the one before; the places are their names. */
function chained(subTasks: readonly SubTask[]): readonly SubTask[] {
  return subTasks.map(({ task }, index) => ({ task, as: `${index}`, after: index === 0 ? [] : [`${index - 1}`] }));
}

/** Each after those it names, or undefined when they cannot be put so. */
function inOrder(subTasks: readonly SubTask[]): readonly SubTask[] | undefined {
  const placed = new Map<string, SubTask>();
  while (placed.size < subTasks.length) {
    const next = subTasks.find(
      (sub) => !placed.has(nameOf(sub)) && (sub.after ?? []).every((name) => placed.has(name)),
    );
    if (next === undefined) return undefined;
    placed.set(nameOf(next), next);
  }
  return [...placed.values()];
}

function stateBefore(entry: readonly number[], nodes: readonly Node[], facts: readonly string[]): readonly string[] {
  const before = new Set(entry);
  // a node only waits for nodes in front of it, so one pass from the back finds them all
  for (let index = nodes.length - 1; index >= 0; index--)
    if (before.has(index)) for (const earlier of nodes[index]?.after ?? []) before.add(earlier);
  return stateAfter(
    facts,
    nodes.filter((_, index) => before.has(index)).map(({ step }) => ({ effects: step.effects ?? [] })),
  );
}

/** The first failure is kept: it lies on the way that was preferred. */
function fail(search: Search, task: string, problem: string): void {
  search.failure ??= { task, problem };
}

function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

function unique(places: readonly number[]): readonly number[] {
  return [...new Set(places)];
}

/** Steps are called after their tasks, the second of one name `name-2`; what an id cannot hold becomes `-`. The reader fills in and checks the rest. */
function asPlan(goal: string, nodes: readonly Node[]): Decomposed {
  const ids: string[] = [];
  for (const { task } of nodes) {
    const name = task.replaceAll(/[^\p{L}\p{N}._:-]+/gu, '-');
    let id = name;
    for (let nth = 2; ids.includes(id); nth++) id = `${name}-${nth}`;
    ids.push(id);
  }
  const steps = nodes.map(({ step, after }, index) => ({
    ...step,
    id: ids[index],
    dependsOn: after.map((at) => ids[at]),
  }));
  if (steps.length === 0) return { ok: false, problem: `The methods for ${goal} come to no step.`, task: goal };
  const read = readPlan({ goal, shape: 'partial', steps });
  return read.ok ? read : { ok: false, problem: read.problem, task: goal };
}
