import type { ApprovalRequest } from '../core/approval.js';
import { provenanceLines } from '../views/request-provenance.js';

/** What a person decides on: where the arguments come from, and what is recommended in their place. */
export function groundsOf(request: unknown): readonly string[] {
  const { provenance, recommended } = (request ?? {}) as Partial<ApprovalRequest>;
  return [
    ...(provenance === undefined ? [] : provenanceLines(provenance)),
    ...(recommended === undefined ? [] : [`Recommended instead: ${JSON.stringify(recommended)}`]),
  ];
}
