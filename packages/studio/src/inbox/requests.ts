import type { ApprovalRequest, Decision, Risk, Verdict } from '../../../flyball/src/core/approval.js';
import type { QuestionRequest } from '../../../flyball/src/core/question.js';
import type { JsonSchema } from '../../../flyball/src/core/schema.js';
import { api } from '../api/client.js';
import type { RunCard } from '../api/types.js';

export type RequestStatus = 'open' | 'decided' | 'timed-out' | 'withdrawn';

/** One thing that a run asks of people. */
export interface InboxItem {
  readonly id: string;
  readonly run: string;
  readonly agent: string;
  readonly kind: 'approval' | 'question' | 'doubt';
  readonly name: string;
  readonly about: string;
  readonly why?: string;
  readonly risk?: Risk;
  readonly request: unknown;
  readonly answer?: JsonSchema;
  readonly scopes: readonly string[];
  readonly alsoScopes?: readonly (readonly string[])[];
  readonly notBy: readonly string[];
  /** Those who asked for the act, where they may not decide about it. */
  readonly requesters?: readonly string[];
  readonly askedAt: number;
  readonly due?: number;
  readonly status: RequestStatus;
  readonly overdue: boolean;
  readonly decision?: Said;
}

export interface Said extends Partial<Decision> {
  readonly by: string;
  readonly at?: number;
  readonly value?: unknown;
}

export interface StoryLine {
  readonly symbol: string;
  readonly text: string;
  readonly detail?: string;
  readonly offsetMs: number;
}

export interface WholeRequest extends InboxItem {
  readonly history: readonly Said[];
  readonly card: RunCard;
  readonly timeline: readonly StoryLine[];
  readonly arguments?: JsonSchema;
}

export interface InboxMetrics {
  readonly verdicts: number;
  readonly approved: number;
  readonly rejected: number;
  readonly modified: number;
  readonly escalated: number;
  readonly unmodifiedShare?: number;
  readonly open: number;
  readonly deadlineMisses: number;
  readonly alarms: readonly ('rubber-stamping' | 'poor-proposals')[];
}

/** What the run published, where it is an approval; a private one is blanked to a word. */
export function approvalIn({ request }: InboxItem): Partial<ApprovalRequest> {
  return typeof request === 'object' && request !== null ? request : {};
}

export function questionIn({ request }: InboxItem): Partial<QuestionRequest> {
  return typeof request === 'object' && request !== null ? request : {};
}

export function isHidden({ request }: InboxItem): boolean {
  return typeof request === 'string';
}

/** Whether new arguments may be proposed: the schema of the verdict says so. */
export function mayModify({ answer }: InboxItem): boolean {
  const { properties } = (answer ?? {}) as {
    readonly properties?: { readonly verdict?: { readonly enum?: readonly unknown[] } };
  };
  return properties?.verdict?.enum?.includes('modify') === true;
}

const at = (id: string): string => `/v1/approvals/${encodeURIComponent(id)}`;

export const requests = {
  list: (status: RequestStatus | undefined, cursor?: string): Promise<{ items: InboxItem[]; cursor?: string }> =>
    api.get('/v1/approvals', { status, cursor, limit: 100 }),
  get: (id: string, signal?: AbortSignal): Promise<WholeRequest> => api.get(at(id), {}, signal),
  decide: (id: string, verdict: Verdict): Promise<InboxItem> => api.post(`${at(id)}/decide`, verdict),
  answer: (id: string, value: unknown): Promise<InboxItem> => api.post(`${at(id)}/answer`, { value }),
  metrics: (): Promise<InboxMetrics> => api.get('/v1/approvals-metrics'),
};
