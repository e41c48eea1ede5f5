import { FlyballError } from 'flyball';
import { dumpJson, parseJson } from '../tau2/python/json.js';
import { RecordFields } from '../tau2/python/record-fields.js';
import { type PyDict, PyError, type PyValue } from '../tau2/python/value.js';
import { readTask } from '../world/read-task.js';
import { infoRecord, readInfo } from './info-record.js';
import type { Results, SimulationRecord } from './simulation-record.js';
import { readSimulation, simulationRecord } from './simulation-text.js';
import { taskRecord } from './task-record.js';

/** Where the simulations of the directory form lie, beside the file: one file each, named by its id. */
export interface SimulationFolder {
  /** Of all files there, in order. */
  readonly ids: readonly string[];
  text(id: string): string | undefined;
}

/** Reads a results file; in the directory form, with the simulations beside it. */
export function readResults(text: string, place = 'results.json', folder?: SimulationFolder): Results {
  const root = new RecordFields(parsed(text, place), '');
  return located(place, () => ({
    timestamp: root.textOrNull('timestamp') ?? '',
    info: readInfo(root.fields('info')),
    tasks: root.each('tasks', readTask),
    simulations: simulationsIn(root, folder),
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
    throw new FlyballError('INPUT_INVALID', `${place} is not valid JSON: ${error.message}.`, { cause: error });
  }
}

function simulationsIn(root: RecordFields, folder: SimulationFolder | undefined): readonly SimulationRecord[] {
  if (root.value('simulation_index') !== null) return indexedIn(root, folder);
  const own = root.eachOrNull('simulations', readSimulation) ?? [];
  if (own.length > 0 || folder === undefined) return own;
  return folder.ids.map((id) => simulationIn(folder, id, 'simulations')); // older folders have no index
}

function indexedIn(root: RecordFields, folder: SimulationFolder | undefined): readonly SimulationRecord[] {
  if (folder === undefined)
    throw new FlyballError('INPUT_INVALID', 'The simulations are in a folder next to this file. Read the folder.');
  const simulations = root.each('simulation_index', (value, path) => {
    const entry = new RecordFields(value, path);
    const simulation = simulationIn(folder, entry.text('id'), path);
    checkEntry(entry, simulation);
    return simulation;
  });
  const named = new Set(simulations.map(({ id }) => id));
  const extra = folder.ids.filter((id) => !named.has(id));
  if (extra.length > 0)
    throw new FlyballError('INPUT_INVALID', `The index does not name these files of simulations: ${extra.join(', ')}.`);
  return simulations;
}

function simulationIn(folder: SimulationFolder, id: string, path: string): SimulationRecord {
  const text = folder.text(id);
  if (text === undefined) throw new FlyballError('INPUT_INVALID', `${path}: there is no simulations/${id}.json.`);
  return readSimulation(parsed(text, `simulations/${id}.json`), `simulations/${id}`);
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
