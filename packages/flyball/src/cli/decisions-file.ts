import { existsSync, readFileSync } from 'node:fs';
import { mappingAt, type YamlSource, yamlSource } from '../adapters/definitions/yaml-source.js';
import { factNames, questionIds, ruleNames } from '../catalogue/decidable.js';
import type { Decisions } from '../catalogue/subject.js';
import { isBlank } from '../core/blank.js';
import { ConfigError } from '../core/errors.js';
import { nearestNames } from '../tools/nearest-names.js';

/** Where a person answers what no code can decide about a composition. */
export const DECISIONS_FILE = 'flyball.decisions.yaml';

/** What was decided. Without a path, the file may be missing: then nothing was. */
export function readDecisions(path?: string): Decisions {
  const file = path ?? DECISIONS_FILE;
  if (!existsSync(file)) {
    if (path === undefined) return {};
    throw new ConfigError(`${file} does not exist. Create it, or leave out --decisions.`);
  }
  const source = yamlSource(readFileSync(file, 'utf8'), file);
  const { questions, facts, accepted } = mappingAt(source, [], source.value ?? {}, ['questions', 'facts', 'accepted']);
  answersIn(source, 'questions', questions, questionIds());
  answersIn(source, 'facts', facts, factNames());
  acceptedIn(source, accepted);
  return (source.value ?? {}) as Decisions;
}

function answersIn(source: YamlSource, key: string, given: unknown, names: readonly string[]): void {
  if (given === undefined) return;
  for (const [name, answer] of Object.entries(mappingAt(source, [key], given, names)))
    if (typeof answer !== 'boolean')
      throw new ConfigError(
        `${source.at([key, name])}: ${key}.${name} must be true or false, got ${JSON.stringify(answer)}.`,
      );
}

/** A rule that no finding has would be accepted in vain, and the finding would still be there. */
function acceptedIn(source: YamlSource, given: unknown): void {
  if (given === undefined) return;
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new ConfigError(`${source.at(['accepted'])}: accepted must map rules to reasons, such as "A4: a demo".`);
  const rules = ruleNames();
  for (const [finding, reason] of Object.entries(given)) {
    const [rule = ''] = finding.split(' at ');
    const where = source.at(['accepted', finding]);
    if (!rules.includes(rule)) {
      const near = nearestNames(rule, rules, 1).map((name) => ` Did you mean "${name}"?`);
      throw new ConfigError(
        `${where}: there is no rule "${rule}".${near.join('')} Use the name in brackets that \`flyball patterns check\` prints.`,
      );
    }
    if (typeof reason !== 'string' || isBlank(reason))
      throw new ConfigError(`${where}: accepted.${finding} needs a reason, as text.`);
  }
}
