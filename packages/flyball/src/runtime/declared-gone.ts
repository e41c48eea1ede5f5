import type { Engine } from '../ports/engine.js';
import type { Host } from '../ports/host.js';

export interface DeclaredGone extends Host {
  /** Reads what operators have declared since. */
  refresh(): Promise<void>;
}

/**
 * A host that also believes operators: a container that was removed, or a machine that is off, leaves nothing by which
 * another one could prove it gone.
 */
export function withDeclared(host: Host, engine: Pick<Engine, 'goneOwners'>): DeclaredGone {
  let declared: ReadonlySet<string> = new Set();
  return {
    owner: () => host.owner(),
    isGone: (owner) => host.isGone(owner) || declared.has(owner.id),
    async refresh() {
      declared = new Set(await engine.goneOwners());
    },
  };
}
