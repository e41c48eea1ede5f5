import { canonicalJson, sha256 } from '../../core/canonical.js';
import type { MadeCall, Run } from '../../core/run.js';
import type { ExecutionOutputs } from '../../core/work.js';
import { planHash } from '../../plans/index.js';
import { COMMIT_PROTOCOL, type CommitProvenance, type CommitResult } from './contracts.js';
import { taskHash } from './ledger.js';
import type { Work } from './work.js';

/** What a committed output is known by: the same bytes have the same hash wherever they are. */
export function contentHash(outputs: ExecutionOutputs): string {
  const { artefacts, value } = outputs;
  return sha256(canonicalJson({ artefacts, ...(value === undefined ? {} : { value }) }));
}

export function provenanceFor(run: Run, work: Work): CommitProvenance {
  const { task, parts, evidence, verified } = work;
  const record: Omit<CommitProvenance, 'hash'> = {
    protocol: COMMIT_PROTOCOL,
    task: task.id,
    taskHash: taskHash(parts.name, task),
    run: run.id,
    planHash: planHash(work.drawn),
    evidence: evidence.items.map(({ id, source, place, query }) => ({ id, source, place, query })),
    toolCalls: run.calls().map(callOf),
    repairs: [...work.repairs],
    scores: verified.scores,
    composite: verified.composite,
    testPassRate: verified.testPassRate,
    models: modelsIn(work),
    at: run.now(),
    approvers: work.approvers,
    outputHash: contentHash(work.made),
  };
  return { ...record, hash: sha256(canonicalJson(record)) };
}

function callOf({ effect, tool, ok }: MadeCall): CommitProvenance['toolCalls'][number] {
  return { effect, tool, ok };
}

function modelsIn({ parts }: Work): readonly string[] {
  const { planner, execution, verification, critic, repair } = parts;
  const sessions = [
    typeof planner === 'function' ? undefined : planner.session,
    execution.worker.session,
    verification.judge.session,
    verification.coherence,
    verification.claims?.session,
    critic.session,
    repair.session,
    repair.stronger,
  ];
  return [...new Set(sessions.flatMap((session) => session?.model.id ?? []))].sort();
}

/** True when nothing in a result was altered since it was committed: outputs, provenance, and what binds them. */
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
