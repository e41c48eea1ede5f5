import { existsSync, readFileSync } from 'node:fs';
import { yamlSource } from '../adapters/definitions/yaml-source.js';
import type { Decisions } from '../catalogue/subject.js';
import { ConfigError } from '../core/errors.js';

/** Where a person answers what no code can decide about a composition. */
export const DECISIONS_FILE = 'flyball.decisions.yaml';

const KEYS = ['questions', 'facts', 'accepted'] as const;

/** What was decided; nothing where there is no file. */
export function readDecisions(path: string = DECISIONS_FILE): Decisions {
  if (!existsSync(path)) return {};
  const given: unknown = yamlSource(readFileSync(path, 'utf8'), path).value ?? {};
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new ConfigError(`${path} must be a mapping with the keys ${KEYS.join(', ')}.`);
  const unknown = Object.keys(given).find((key) => !(KEYS as readonly string[]).includes(key));
  if (unknown !== undefined)
    throw new ConfigError(`${path} has an unknown key "${unknown}". It may have ${KEYS.join(', ')}.`);
  const { questions, facts, accepted } = given as Decisions;
  for (const [key, answers] of Object.entries({ questions, facts }))
    for (const [name, answer] of Object.entries(answers ?? {}))
      if (typeof answer !== 'boolean') throw new ConfigError(`${path}: ${key}.${name} must be true or false.`);
  for (const [rule, reason] of Object.entries(accepted ?? {}))
    if (typeof reason !== 'string' || reason.trim() === '')
      throw new ConfigError(`${path}: accepted.${rule} needs a reason.`);
  return given;
}
