import { canonicalJson, sha256 } from '../../core/canonical.js';
import type { MadeCall, Run } from '../../core/run.js';
import { planHash } from '../../plans/changes.js';
import { COMMIT_PROTOCOL, type CommitProvenance } from './contracts.js';
import { contentHash, taskHash } from './seal.js';
import type { Work } from './work.js';

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
    repairs: [...work.repairing.repairs],
    scores: verified.scores,
    composite: verified.composite,
    testPassRate: verified.testPassRate,
    models: run.models(),
    at: run.now(),
    approvers: work.people.approvers,
    decisions: work.people.decisions,
    outputHash: contentHash(work.made),
  };
  return { ...record, hash: sha256(canonicalJson(record)) };
}

function callOf({ effect, tool, ok }: MadeCall): CommitProvenance['toolCalls'][number] {
  return { effect, tool, ok };
}
