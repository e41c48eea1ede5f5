/**
 * Tenants take turns: one item of each, then the next of each, until there are `limit`. The tenant after `after`, by name,
 * comes first. Of one tenant the order is kept.
 */
export function inTurns<T>(
  items: Iterable<T>,
  tenantOf: (item: T) => string,
  { limit, after }: { readonly limit: number; readonly after?: string | undefined },
): readonly T[] {
  const lines = new Map<string, T[]>();
  for (const item of items) {
    const line = lines.get(tenantOf(item));
    if (line === undefined) lines.set(tenantOf(item), [item]);
    else line.push(item);
  }
  const order = tenantsInTurn(lines.keys(), after);
  const found: T[] = [];
  for (let turn = 0; found.length < limit; turn++) {
    const before = found.length;
    for (const tenant of order) {
      const item = lines.get(tenant)?.[turn];
      if (item !== undefined && found.length < limit) found.push(item);
    }
    if (found.length === before) break;
  }
  return found;
}

/** By name, beginning behind `after`. */
export function tenantsInTurn(tenants: Iterable<string>, after: string | undefined): readonly string[] {
  const sorted = [...tenants].sort();
  if (after === undefined) return sorted;
  const first = sorted.findIndex((tenant) => tenant > after);
  return first === -1 ? sorted : [...sorted.slice(first), ...sorted.slice(0, first)];
}
