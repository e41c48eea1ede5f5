import { ConfigError } from 'flyball';
import { parseJson } from '../tau2/python/json.js';
import { PyError, type PyValue } from '../tau2/python/value.js';
import type { DataFolder } from '../world/environment.js';

/** A file that a domain cannot do without. */
export async function fileIn(data: DataFolder, path: string): Promise<string> {
  const text = await data.read(path);
  if (text !== undefined) return text;
  throw new ConfigError(
    `There is no ${path} in ${data.place}. Fetch the benchmark's data with \`flyball evals fetch tau2\`, ` +
      'or name the folder that holds them with --data or FLYBALL_TAU2.',
  );
}

export async function jsonIn(data: DataFolder, path: string): Promise<PyValue> {
  return jsonOf(await fileIn(data, path), `${data.place}/${path}`);
}

/** Undefined where there is no such file. */
export async function optionalJsonIn(data: DataFolder, path: string): Promise<PyValue | undefined> {
  const text = await data.read(path);
  return text === undefined ? undefined : jsonOf(text, `${data.place}/${path}`);
}

function jsonOf(text: string, place: string): PyValue {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof PyError)) throw error;
    throw new ConfigError(`${place} is not valid JSON: ${error.message}. Fetch the data again, or correct the file.`);
  }
}

/** The benchmark's guidelines for simulated users: without tools and with them. */
export async function guidelinesIn(data: DataFolder): Promise<(withTools: boolean) => string> {
  const plain = await fileIn(data, 'user_simulator/simulation_guidelines.md');
  const forTools = await fileIn(data, 'user_simulator/simulation_guidelines_tools.md');
  return (withTools) => (withTools ? forTools : plain);
}

/** Named subsets of a domain's tasks. `base` is all of them where the data do not say. */
export function taskSetsOf(
  splits: PyValue | undefined,
  ids: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const sets = new Map<string, readonly string[]>([['base', ids]]);
  if (!(splits instanceof Map)) return sets;
  for (const [name, members] of splits) {
    if (Array.isArray(members))
      sets.set(
        name,
        members.filter((id) => typeof id === 'string'),
      );
  }
  return sets;
}
