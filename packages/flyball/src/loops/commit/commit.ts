import { canonicalJson, sha256 } from '../../core/canonical.js';
import type { Run } from '../../core/run.js';
import type { CommitAudit, CommitResult } from './contracts.js';
import { assertGates, assertProvenance } from './invariants.js';
import { taskText } from './judge-exit.js';
import { evenIfItFails, learn, persist } from './ledger.js';
import { provenanceFor } from './provenance.js';
import { contentHash, sealOf } from './seal.js';
import type { PhaseReport, Work } from './work.js';

const AFTERWARDS = 'after-commit-failed';

/** COMMIT: the result with everything that vouches for it, durable before anybody is told; then what was learned. */
export async function commitPhase(run: Run, work: Work): Promise<PhaseReport & { readonly result: CommitResult }> {
  const result = resultOf(work);
  assertProvenance(work.run, work, result);
  assertGates(result);
  const { parts, task } = work;
  const tried = [...work.log.tried];
  work.log.tried.push(result.provenance.hash); // it may be durable although this fails
  const standing = await persist(run, parts.store, parts.name, task, { result, tried });
  const seen = result.status === 'committed' ? { seen: { text: taskText(work) } } : {};
  // it is durable, and may have been given out: what comes after can no longer take it back
  await evenIfItFails(run, { kind: AFTERWARDS, what: 'lesson' }, () =>
    learn(run, parts.store, parts.name, task, { ...work.lesson, ...seen }),
  );
  if (standing === result)
    await evenIfItFails(run, { kind: AFTERWARDS, what: 'memory' }, () => promote(run, work, result));
  return { event: 'committed', result: standing };
}

function resultOf(work: Work): CommitResult {
  const { run } = work; // the calls of all phases, not those of this one
  const audit = auditOf(run, work);
  const parts: Omit<CommitResult, 'seal'> = {
    status: work.missing.length === 0 && work.people.overrides.length === 0 ? 'committed' : 'partial',
    outputs: work.made,
    missing: work.missing,
    overrides: work.people.overrides,
    provenance: provenanceFor(run, work),
    audit,
    contentHash: contentHash(work.made),
    auditHash: sha256(canonicalJson(audit)),
  };
  return { ...parts, seal: sealOf(parts) };
}

function auditOf(run: Run, work: Work): CommitAudit {
  return {
    transitions: [...work.log.transitions], // a record, not a view of what goes on
    costByPhase: { ...work.log.costByPhase },
    spent: run.budget.spent(),
    ms: run.now() - work.log.startedAt,
    exit: work.exit ?? { gates: [], confidence: 0, disposition: 'reject', triggers: [], risk: 'low' },
  };
}

/** What was done, for later tasks to recall. */
async function promote(run: Run, { parts, task }: Work, { outputs, provenance, status }: CommitResult): Promise<void> {
  if (parts.memory === undefined) return;
  const answer = outputs.artefacts.map(({ name, text }) => `${name}:\n${text}`).join('\n\n');
  await parts.memory.remember(run, 'episodic', {
    id: `commit:${provenance.taskHash}`,
    at: run.now(),
    agent: parts.name,
    title: task.goal,
    content: `${task.goal}\n\n${answer}`,
    trust: 'model',
    tags: ['commit', task.taskClass],
    metadata: { task: task.id, status, provenance: provenance.hash, content: provenance.outputHash },
  });
}
