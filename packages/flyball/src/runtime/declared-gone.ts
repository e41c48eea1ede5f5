import type { Owner } from '../core/events.js';
import type { Engine } from '../ports/engine.js';
import type { Host } from '../ports/host.js';

export interface DeclaredGone extends Host {
  /** Reads what operators have declared since. A process that was itself declared gone, and is alive, has a new id then. */
  refresh(): Promise<void>;
}

/**
 * A host that also believes operators: a container that was removed, or a machine that is off, leaves nothing by which
 * another one could prove it gone.
 */
export function withDeclared(host: Host, engine: Pick<Engine, 'goneOwners'>): DeclaredGone {
  let declared: ReadonlySet<string> = new Set();
  /** How many names of this process were declared gone. */
  let lost = 0;
  const owner = (): Owner => {
    const self = host.owner();
    return lost === 0 ? self : { ...self, id: `${self.id}-${lost + 1}` };
  };
  return {
    owner,
    isGone: (owner) => host.isGone(owner) || declared.has(owner.id),
    async refresh() {
      declared = new Set(await engine.goneOwners());
      // what it does from here on must not count as done by an owner that is dead
      while (declared.has(owner().id)) lost += 1;
    },
  };
}
