import { ConfigError, FlyballError } from 'flyball';
import { parseJson } from '../tau2/python/json.js';
import { RecordFields } from '../tau2/python/record-fields.js';
import { PyError, type PyValue } from '../tau2/python/value.js';
import type { Domain } from '../world/environment.js';

/** One recorded thing, reproduced: in what ours is unlike it, and empty where it is the same. */
export interface Check {
  readonly what: string;
  readonly differs: readonly string[];
  /** Why it could not be reproduced at all; such a one counts neither way. */
  readonly skipped?: string;
}

/** Opens a domain by name, once. */
export type OpenDomain = (name: string) => Promise<Domain>;

/** Where a recording does not say which domain it is of. */
export const RECORDED_DOMAIN = 'banking_knowledge';

/** Compares fields; texts are shown, longer ones in part. */
export function unlike(what: string, recorded: unknown, ours: unknown): readonly string[] {
  return recorded === ours ? [] : [`${what} is ${shown(ours)}, recorded ${shown(recorded)}`];
}

const LONGEST = 160;

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : String(value);
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}… (${text.length} characters)`;
}

/** What goes wrong while one thing is reproduced is a difference of that one: the others are still looked at. */
export async function checked(what: string, differences: () => Promise<readonly string[]>): Promise<Check> {
  try {
    return { what, differs: await differences() };
  } catch (error) {
    if (!(error instanceof PyError || error instanceof FlyballError || error instanceof TypeError)) throw error;
    return { what, differs: [`it cannot be reproduced: ${error.message}`] };
  }
}

/** Lines of JSON, as records; empty ones are passed over. */
export function* recordLines(text: string, file: string): Generator<RecordFields> {
  for (const [at, line] of text.split('\n').entries())
    if (line.trim() !== '') yield new RecordFields(jsonOf(line, `${file}:${at + 1}`), `${file}:${at + 1}`);
}

export function jsonOf(text: string, place: string): PyValue {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof PyError)) throw error;
    throw new ConfigError(`${place} is not valid JSON: ${error.message}.`);
  }
}
