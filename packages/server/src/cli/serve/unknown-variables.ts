import { nearestNames } from 'flyball/internal';
import { variableOf } from './setting.js';
import { allSettings } from './settings-table.js';

/** Variables that are no settings of a server, and are read by it, by agents or by other commands. */
const OTHERS =
  /^FLYBALL_(?:CONFIG|DEBUG|DEMONSTRATION|HARBOUR|JOB|JWT_SECRET(?:_FILE)?|MODELS?(?:_.+)?|TAU(?:_.+)?|EMBEDDINGS_.+|.+_BASE_URL)$/;
/** Kubernetes sets these where a service is called flyball. */
const OF_CLUSTER = /^FLYBALL_(?:SERVICE_(?:HOST|PORT.*)|PORT_.+)$/;

/** A misspelled variable sets nothing, which nobody sees: it is told, with what may have been meant. */
export function unknownVariables(
  env: Readonly<Record<string, string | undefined>>,
  /** Named by somebody else: triggers say which variable holds a secret. */
  named: readonly string[] = [],
): readonly string[] {
  const known = allSettings().map(variableOf);
  const unknown = Object.keys(env).filter(
    (name) =>
      name.startsWith('FLYBALL_') &&
      ![...known, ...named].includes(name) &&
      !OTHERS.test(name) &&
      !OF_CLUSTER.test(name),
  );
  return unknown.map((name) => {
    const [nearest] = nearestNames(name, known, 1);
    return `${name} is set, but there is no such setting${nearest === undefined ? '' : `: did you mean ${nearest}?`}`;
  });
}
