import type { EventOf } from '../core/events.js';
import type { RequestProvenance, RequestSource } from '../core/request-provenance.js';
import { BLANK } from './privacy.js';

/**
 * A request that is not private may rest on something that is. The kernel quotes that in the provenance, not the agent,
 * so it is blanked like the effect it comes from.
 */
export function withoutPrivateSources(
  event: EventOf<'wait-start'>,
  hides: (effect: string) => boolean,
): EventOf<'wait-start'> {
  const provenance = provenanceIn(event.request);
  if (provenance === undefined) return event;
  const { by, sources } = provenance;
  const hidesAll = by?.kind === 'model' && hides(by.effect); // what it had read is its own
  const isHidden = ({ effect }: RequestSource): boolean => hidesAll || (effect !== undefined && hides(effect));
  if (!hidesAll && !sources.some(isHidden)) return event;
  const told: RequestProvenance = {
    ...provenance,
    by: hidesAll ? { ...by, prompt: BLANK } : by,
    sources: sources.map((source) => (isHidden(source) ? { ...source, excerpt: BLANK } : source)),
  };
  return { ...event, request: { ...(event.request as object), provenance: told } };
}

/** Guards of the host may have made anything of a request. */
function provenanceIn(request: unknown): RequestProvenance | undefined {
  const found = (request as { readonly provenance?: Partial<RequestProvenance> } | null | undefined)?.provenance;
  return Array.isArray(found?.sources) ? (found as RequestProvenance) : undefined;
}
