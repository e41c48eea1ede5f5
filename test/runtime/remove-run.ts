import type { Engine } from 'flyball';
import type { Operation, Tombstone } from '../../packages/flyball/src/core/operations.js';

/** Removes a run that is done, as retention and the erasure of a subject do. */
export async function removeRun(engine: Engine, of: string, action: 'prune' | 'erase' | 'archive'): Promise<void> {
  const record = await engine.get(of);
  const tombstone: Tombstone = {
    agent: record?.agent ?? '',
    tenant: record?.tenant ?? '',
    status: 'done',
    createdAt: 0,
    endedAt: record?.updatedAt ?? 0,
    digests: [],
    head: '',
  };
  const archive = action === 'archive' ? { archive: { key: `default/${of}.jsonl.gz`, sha256: 'x' } } : {};
  const operation: Operation & { readonly tombstone: Tombstone } = {
    at: Date.UTC(2026, 0, 2),
    by: 'operator',
    action,
    of,
    tombstone,
    ...archive,
  };
  await engine.remove(of, operation);
}
