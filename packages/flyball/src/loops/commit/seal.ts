import { canonicalJson, sha256 } from '../../core/canonical.js';
import type { ExecutionOutputs, TaskSpec } from '../../core/work.js';
import type { CommitResult } from './contracts.js';

/** The same task for the same loop: what makes a resubmission one. No version: a result of another is found, and judged. */
export function taskHash(loop: string, task: TaskSpec): string {
  return sha256(canonicalJson({ loop, task }));
}

/** What a committed output is known by: the same bytes have the same hash wherever they are. */
export function contentHash(outputs: ExecutionOutputs): string {
  const { artefacts, value } = outputs;
  return sha256(canonicalJson({ artefacts, ...(value === undefined ? {} : { value }) }));
}

/** Whether a result is unchanged since it was committed. */
export function verifyCommit(result: CommitResult): boolean {
  const { hash, ...record } = result.provenance;
  return (
    sha256(canonicalJson(record)) === hash &&
    contentHash(result.outputs) === result.contentHash &&
    result.contentHash === record.outputHash &&
    result.auditHash === sha256(canonicalJson(result.audit)) &&
    result.seal === sealOf(result)
  );
}

/**
 * Over everything in a result but the seal itself, so that no part can be altered or taken from another one. The mark of
 * a resubmission is not sealed: it is set when the result is given out again.
 */
export function sealOf(result: Omit<CommitResult, 'seal'> & { readonly seal?: string }): string {
  const { seal: _seal, resubmitted: _again, ...sealed } = result;
  return sha256(canonicalJson(sealed));
}
