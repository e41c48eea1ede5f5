import { ConfigError } from 'flyball';
import type { Claim } from './claim.js';
import { evaluation } from './claims/evaluation.js';
import { knowledge } from './claims/knowledge.js';
import { orchestration } from './claims/orchestration.js';
import { reasoning } from './claims/reasoning.js';
import { reliability } from './claims/reliability.js';
import { safety } from './claims/safety.js';
import { signal } from './claims/signal.js';

/** Every claim of the laboratory, in the order of the catalogue. */
export const CLAIMS: readonly Claim[] = [
  ...signal,
  ...knowledge,
  ...reasoning,
  ...orchestration,
  ...safety,
  ...reliability,
  ...evaluation,
];

/** Claims by id or by pattern, such as `R17` or `R17-five`. All where nothing is named. */
export function claimsNamed(names: readonly string[]): readonly Claim[] {
  if (names.length === 0) return CLAIMS;
  const unknown = names.filter((name) => !CLAIMS.some(({ id, pattern }) => id === name || pattern === name));
  if (unknown.length > 0)
    throw new ConfigError(
      `There is no claim "${unknown[0]}". Name patterns or claims, such as ${CLAIMS.slice(0, 3)
        .map(({ id }) => id)
        .join(', ')}; flyball lab run lists all.`,
    );
  return CLAIMS.filter(({ id, pattern }) => names.includes(id) || names.includes(pattern));
}
