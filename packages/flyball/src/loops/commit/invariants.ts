import { isBlank } from '../../core/blank.js';
import { FlyballError } from '../../core/errors.js';
import type { Run } from '../../core/run.js';
import type { CommitResult } from './contracts.js';
import { contentHash } from './seal.js';
import type { Work } from './work.js';

/**
 * What must hold at every phase boundary, checked there and not only promised. A broken one is a fault of the runtime
 * or of a part that was handed in, so the loop stops with it instead of going on with something it cannot vouch for.
 */
export function assertInvariants(run: Run, work: Work): void {
  const { limits } = run.budget;
  const spent = run.budget.spent();
  const { position, log } = work;
  const { transitions } = log;
  // 1. tokens, and the iterations that all agents of a run share, never exceed their bound
  hold(spent.tokensIn <= limits.tokensIn && spent.tokensOut <= limits.tokensOut, 'tokens are within their bound');
  hold(spent.iterations <= limits.iterations, 'iterations are within their bound');
  // 2. depth never exceeds its bound
  hold(depthOf(run.path) <= limits.depth, 'the depth of agents is within its bound');
  // 3. every transition was told before the next phase began
  hold(transitions.length === position.iteration, 'every transition is in the journal');
  hold(
    transitions.at(-1)?.to === undefined || transitions.at(-1)?.to === position.phase,
    'the last transition led here',
  );
  // 4. no call was made twice under one identity
  const effects = run.calls().map(({ effect }) => effect);
  hold(new Set(effects).size === effects.length, 'every tool call has an identity of its own');
}

/** How many agents are around this one: each child adds `child.n` to the path. */
function depthOf(path: string): number {
  return path.split('/').filter((part) => /^child\.\d+$/.test(part)).length;
}

/** 5. What is committed can be traced: to the task, the plan, the evidence, the calls and the repairs. */
export function assertProvenance(run: Run, work: Work, result: CommitResult): void {
  const { provenance } = result;
  const known = new Set(run.calls().map(({ effect }) => effect));
  const evidence = new Set(work.evidence.items.map(({ id }) => id));
  const isTraced =
    provenance.task === work.task.id &&
    provenance.planHash !== '' &&
    provenance.outputHash === contentHash(result.outputs) &&
    provenance.repairs.length === work.repairing.repairs.length &&
    provenance.toolCalls.length === known.size &&
    provenance.toolCalls.every(({ effect }) => known.has(effect)) &&
    provenance.evidence.every(({ id }) => evidence.has(id));
  hold(isTraced, 'the output can be traced to everything it came from');
}

/** 6. Nothing leaves while a gate is closed that nobody overrode in words. */
export function assertGates({ audit, overrides }: CommitResult): void {
  const open = new Set(overrides.filter(({ reason }) => !isBlank(reason)).map(({ gate }) => gate));
  hold(
    audit.exit.gates.every(({ gate, passed }) => passed || open.has(gate)),
    'every gate is open, or somebody overrode it with a reason',
  );
}

function hold(holds: boolean, what: string): void {
  if (!holds)
    throw new FlyballError(
      'INVARIANT_BROKEN',
      `A commit loop found that this does not hold: ${what}. Nothing was committed.`,
    );
}
