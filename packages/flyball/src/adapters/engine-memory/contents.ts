import type { Batch, StoredLink } from '../../ports/engine.js';

/** Contents and links of one tenant. What is content-addressed may come again and is kept once. */
export interface Contents {
  readonly blobs: Map<string, string>;
  readonly links: Map<string, StoredLink>;
}

/** What each tenant has stored: none of it is there for another, also where it is the same. */
export class TenantContents {
  private readonly byTenant = new Map<string, Contents>();

  of(tenant: string): Contents {
    const known = this.byTenant.get(tenant) ?? { blobs: new Map(), links: new Map() };
    this.byTenant.set(tenant, known);
    return known;
  }

  all(): readonly (readonly [tenant: string, contents: Contents])[] {
    return [...this.byTenant];
  }
}

export function store({ blobs, links }: Contents, batch: Pick<Batch, 'blobs' | 'links'>): void {
  for (const [hash, content] of batch.blobs ?? []) if (!blobs.has(hash)) blobs.set(hash, content);
  for (const link of batch.links ?? []) if (!links.has(link.id)) links.set(link.id, link);
}

export function chainTo(tip: string, { links }: Contents): readonly StoredLink[] {
  const chain: StoredLink[] = [];
  for (let link = links.get(tip); link !== undefined; ) {
    chain.push(link);
    link = link.parent === undefined ? undefined : links.get(link.parent);
  }
  return chain.reverse();
}

/** A link whose parent or content is neither stored nor in the batch before it. */
export function danglingLink(
  { links: added = [], blobs: contents = [] }: Batch,
  { blobs, links }: Contents,
): StoredLink | undefined {
  const before = new Set<string>();
  const beside = new Set(contents.map(([hash]) => hash));
  return added.find(({ id, parent, blob }) => {
    const isParentKnown = parent === undefined || links.has(parent) || before.has(parent);
    before.add(id);
    return !isParentKnown || (blob !== undefined && !blobs.has(blob) && !beside.has(blob));
  });
}
