import { FlyballError } from '../../core/errors.js';
import { dumpJson, parseJson } from '../python/json.js';
import { RecordFields } from '../python/record-fields.js';
import { type PyDict, PyError, type PyValue } from '../python/value.js';
import { readTask } from '../world/read-task.js';
import { infoRecord, readInfo } from './info-record.js';
import type { Results, SimulationRecord } from './simulation-record.js';
import { readSimulation, simulationRecord } from './simulation-text.js';
import { taskRecord } from './task-record.js';

/** Reads a results file. In the directory form the simulations lie beside it: `simulationOf` gives the text of one. */
export function readResults(
  text: string,
  place = 'results.json',
  simulationOf?: (id: string) => string | undefined,
): Results {
  const root = new RecordFields(parsed(text, place), '');
  return located(place, () => ({
    timestamp: root.textOrNull('timestamp') ?? '',
    info: readInfo(root.fields('info')),
    tasks: root.each('tasks', readTask),
    simulations: simulationsIn(root, place, simulationOf),
    rest: root.dict,
  }));
}

/** The whole file, as the reference writes it. */
export function writeResults(results: Results): string {
  return [...resultsPieces(results)].join('');
}

/**
 * The file in pieces, one simulation each. A simulation that was written before is not written anew: a checkpoint is
 * saved after every one of them.
 */
export function* resultsPieces(results: Results): Generator<string> {
  const head: PyDict = new Map<string, PyValue>([
    ['timestamp', results.timestamp],
    ['info', infoRecord(results.info)],
    ['tasks', results.tasks.map(taskRecord)],
  ]);
  yield dumpJson(head, { indent: 2 }).replace(/\n\}$/, ',\n  "simulations": [');
  for (const [index, simulation] of results.simulations.entries()) {
    yield index === 0 ? '\n' : ',\n';
    yield simulationText(simulation);
  }
  yield results.simulations.length === 0 ? ']' : '\n  ]';
  for (const [name, value] of restOf(results)) yield `,\n  ${dumpJson(name)}: ${nested(value, 1)}`;
  yield '\n}\n';
}

const TEXTS = new WeakMap<SimulationRecord, string>();

function simulationText(simulation: SimulationRecord): string {
  const known = TEXTS.get(simulation);
  if (known !== undefined) return known;
  const text = `    ${nested(simulationRecord(simulation), 2)}`;
  TEXTS.set(simulation, text);
  return text;
}

function nested(value: PyValue, levels: number): string {
  return dumpJson(value, { indent: 2 }).replaceAll('\n', `\n${'  '.repeat(levels)}`);
}

const NAMED: ReadonlySet<string> = new Set(['timestamp', 'info', 'tasks', 'simulations']);

/** A file that was read in directory form is written as one: then it has no index. */
function restOf(results: Results): readonly (readonly [string, PyValue])[] {
  const others = [...(results.rest ?? [])].filter(([name]) => !NAMED.has(name) && name !== 'simulation_index');
  return [...others, ['simulation_index', null]];
}

function parsed(text: string, place: string): PyValue {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof PyError)) throw error;
    throw new FlyballError('INPUT_INVALID', `${place} is no JSON: ${error.message}.`, { cause: error });
  }
}

function simulationsIn(
  root: RecordFields,
  place: string,
  simulationOf: ((id: string) => string | undefined) | undefined,
): readonly SimulationRecord[] {
  if (root.value('simulation_index') === null) return root.each('simulations', readSimulation);
  if (simulationOf === undefined)
    throw new FlyballError('INPUT_INVALID', 'The simulations lie in a folder beside this file: read the folder.');
  return root.each('simulation_index', (value, path) => {
    const entry = new RecordFields(value, path);
    const text = simulationOf(entry.text('id'));
    if (text === undefined)
      throw new FlyballError('INPUT_INVALID', `${path}: there is no simulations/${entry.text('id')}.json.`);
    const simulation = readSimulation(parsed(text, place), `simulations/${entry.text('id')}`);
    checkEntry(entry, simulation);
    return simulation;
  });
}

/** The index says what each file holds: one that was exchanged or cut is found here. */
function checkEntry(entry: RecordFields, simulation: SimulationRecord): void {
  const reward = entry.numberOrNull('reward');
  const agrees =
    entry.text('id') === simulation.id &&
    String(entry.value('task_id')) === simulation.taskId &&
    entry.number('trial') === simulation.trial &&
    (reward === null || reward === (simulation.reward?.reward ?? null));
  if (!agrees) throw new FlyballError('INPUT_INVALID', `${entry.path}: the file of this simulation holds another one.`);
}

function located<T>(place: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof FlyballError)) throw error;
    throw new FlyballError(error.code, `${place}: ${error.message}`, { detail: error.detail, cause: error });
  }
}
