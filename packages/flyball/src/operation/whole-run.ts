import { possibleReferences } from '../core/references.js';
import type { Engine, RunRecord, StoredEntry, StoredLink, WholeRun } from '../ports/engine.js';

type Read = Pick<Engine, 'read' | 'blobs' | 'links'>;
const PAGE = 1_000;

/** All that belongs to a run: its entries, and the contents and prompt chains that they refer to. */
export async function wholeRun(engine: Read, record: RunRecord): Promise<WholeRun> {
  const entries: StoredEntry[] = [];
  for (let generation = 0; generation <= record.generation; generation += 1)
    for (let from = 0; ; from += PAGE) {
      const page = await engine.read(record.id, { generation, from, to: from + PAGE - 1 });
      entries.push(...page);
      if (page.length < PAGE) break;
    }
  const named = [...new Set(entries.flatMap(({ body }) => [...possibleReferences(body)]))];
  const links = await linksOf(engine, record.tenant, named);
  const ofLinks = links.flatMap(({ blob }) => (blob === undefined ? [] : [blob]));
  const blobs = await engine.blobs(record.tenant, [...new Set([...named, ...ofLinks])]);
  return { record, entries, blobs: [...blobs], links };
}

/** What only looks like the tip of a chain has no links. */
async function linksOf(engine: Read, tenant: string, named: readonly string[]): Promise<readonly StoredLink[]> {
  const links = new Map<string, StoredLink>();
  // a later tip has the earlier ones before it: from the end on most are known when their turn comes
  for (const tip of [...named].reverse()) {
    if (links.has(tip)) continue;
    for (const link of await engine.links(tenant, tip)) if (!links.has(link.id)) links.set(link.id, link);
  }
  return [...links.values()];
}
