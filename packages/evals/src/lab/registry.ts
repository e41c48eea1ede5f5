import { ConfigError } from 'flyball';
import type { Claim } from './claim.js';
import { adaptive } from './claims/adaptive.js';
import { approvals } from './claims/approving.js';
import { endings } from './claims/ending.js';
import { evaluation } from './claims/evaluation.js';
import { faults } from './claims/faults.js';
import { forms } from './claims/forms.js';
import { joins } from './claims/joining.js';
import { knowledge } from './claims/knowledge.js';
import { passages } from './claims/letting.js';
import { orchestration } from './claims/orchestration.js';
import { parts } from './claims/parting.js';
import { plans } from './claims/planning.js';
import { reasoning } from './claims/reasoning.js';
import { reflections } from './claims/reflecting.js';
import { reliability } from './claims/reliability.js';
import { returningUsers } from './claims/returning.js';
import { reviews } from './claims/reviewing.js';
import { safety } from './claims/safety.js';
import { scenarios } from './claims/scenarios.js';
import { signal } from './claims/signal.js';
import { tools } from './claims/tools.js';
import { votes } from './claims/voting.js';
import { windows } from './claims/window.js';
import { work } from './claims/work.js';

/** Every claim of the laboratory, in the order of the catalogue. */
export const CLAIMS: readonly Claim[] = [
  ...signal,
  ...knowledge,
  ...adaptive,
  ...windows,
  ...reasoning,
  ...plans,
  ...reflections,
  ...votes,
  ...work,
  ...orchestration,
  ...joins,
  ...approvals,
  ...reviews,
  ...safety,
  ...reliability,
  ...forms,
  ...faults,
  ...evaluation,
  ...scenarios,
  ...tools,
  ...returningUsers,
  ...parts,
  ...passages,
  ...endings,
];

/** Claims by id or by pattern, such as `R17` or `R17-five`. All where nothing is named. */
export function claimsNamed(names: readonly string[], all: readonly Claim[] = CLAIMS): readonly Claim[] {
  if (names.length === 0) return all;
  const unknown = names.filter((name) => !all.some(({ id, pattern }) => id === name || pattern === name));
  if (unknown.length > 0)
    throw new ConfigError(
      `There is no claim "${unknown[0]}". Name patterns or claims, such as ${all
        .slice(0, 3)
        .map(({ id }) => id)
        .join(', ')}; flyball lab run lists all.`,
    );
  return all.filter(({ id, pattern }) => names.includes(id) || names.includes(pattern));
}
