import type { Decision } from '../core/approval.js';
import type { PersonRequest } from './requests.js';

/** The period of inbox metrics. */
export interface MetricsOptions {
  /** Only requests that were asked at this time or later. */
  readonly since?: number;
  /** Verdicts below which no alarm is raised: a few say nothing. 20 where it is absent. */
  readonly minimum?: number;
}

/** A sign that approvals do not work as intended. */
export type InboxAlarm = 'rubber-stamping' | 'poor-proposals';

/** How people decide. Above 95 % approved as they are, nobody may be looking; below 50 %, the proposals are poor. */
export const UNMODIFIED_ABOVE = 0.95;
/** Below this share of unmodified approvals, the inbox reports poor proposals. */
export const UNMODIFIED_BELOW = 0.5;

/** Statistics about decisions. */
export interface InboxMetrics {
  /** Requests for approval that somebody approved or rejected, or modified. */
  readonly verdicts: number;
  readonly approved: number;
  readonly rejected: number;
  readonly modified: number;
  readonly escalated: number;
  /** Approved as it was first proposed, among all verdicts. Undefined where there are none. */
  readonly unmodifiedShare?: number;
  /** Approvals, questions and doubts that are open. */
  readonly open: number;
  /** Approvals and questions that nobody answered in time. */
  readonly deadlineMisses: number;
  readonly alarms: readonly InboxAlarm[];
}

export async function metricsOf(
  requests: AsyncIterable<PersonRequest>,
  { since = 0, minimum = 20 }: MetricsOptions,
): Promise<InboxMetrics> {
  const count = { approved: 0, unmodified: 0, rejected: 0, modified: 0, escalated: 0, open: 0, deadlineMisses: 0 };
  for await (const request of requests) {
    if (request.askedAt < since) continue;
    if (request.status === 'open') count.open++;
    if (request.status === 'timed-out') count.deadlineMisses++;
    if (request.kind !== 'approval') continue;
    switch (request.decision?.verdict) {
      case 'approve':
        count.approved++;
        if (!wasModified(request)) count.unmodified++;
        break;
      case 'reject':
        count.rejected++;
        break;
      case 'modify':
        count.modified++;
        break;
      case 'escalate':
        count.escalated++;
        break;
      default:
        break;
    }
  }
  const { unmodified, ...counts } = count;
  const verdicts = counts.approved + counts.rejected + counts.modified;
  const share = verdicts === 0 ? undefined : unmodified / verdicts;
  return {
    verdicts,
    ...counts,
    ...(share === undefined ? {} : { unmodifiedShare: share }),
    alarms: verdicts < minimum || share === undefined ? [] : alarmsAt(share),
  };
}

function alarmsAt(share: number): readonly InboxAlarm[] {
  if (share > UNMODIFIED_ABOVE) return ['rubber-stamping'];
  return share < UNMODIFIED_BELOW ? ['poor-proposals'] : [];
}

function wasModified({ request }: PersonRequest): boolean {
  const { history = [] } = (request ?? {}) as { readonly history?: readonly Decision[] };
  return history.some(({ verdict }) => verdict === 'modify');
}
