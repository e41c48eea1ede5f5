import type { EffectId, Entry, EventOf } from '../../../flyball/src/core/events.js';
import { type Wait, WaitIndex } from '../../../flyball/src/core/waits.js';
import { type Fields, fieldsOf, given, textIn } from '../plan/fields.js';

export type ApprovalStatus =
  | 'waiting'
  | 'approved'
  | 'rejected'
  | 'modified'
  | 'escalated'
  | 'answered'
  | 'timed-out'
  | 'withdrawn';

/** Something a person was asked, and what they said. */
export interface Approval {
  readonly generation: number;
  readonly seq: number;
  readonly id: EffectId;
  readonly kind: 'approval' | 'question' | 'doubt';
  /** The tool, step or output it is about; the question itself where it is one. */
  readonly action: string;
  readonly why?: string;
  readonly risk?: string;
  readonly expectedEffect?: string;
  readonly undo?: string;
  /** Who is asked: a group after an escalation, or scopes. */
  readonly to?: string;
  readonly request: Fields;
  readonly askedAt: number;
  readonly due?: number;
  readonly status: ApprovalStatus;
  readonly by?: string;
  readonly reason?: string;
  /** What was put in place of what was proposed, or the answer. */
  readonly value?: unknown;
  readonly decidedAt?: number;
}

/** What people were asked, in order. A wait that a later life opens again is the same question. */
export function approvalsOf(entries: readonly Entry[]): readonly Approval[] {
  const fold = new ApprovalFold();
  for (const entry of entries) fold.apply(entry);
  return fold.all();
}

/** Takes entries one by one. What is open, the index of waits says. */
export class ApprovalFold {
  private readonly waits = new WaitIndex();

  apply(entry: Entry): void {
    this.waits.apply(entry);
  }

  all(): readonly Approval[] {
    return this.waits.all().flatMap((wait) => approvalOf(wait) ?? []);
  }
}

function approvalOf(wait: Wait): Approval | undefined {
  const { start, end, endedAt, status } = wait;
  if (start.kind === 'signal') return undefined;
  const open = asked(start, start.kind, { generation: wait.generation, seq: wait.seq, at: wait.startedAt });
  if (status === 'open') return open;
  const said = end === undefined ? { status: 'withdrawn' as const } : answered(start.kind, end);
  return { ...open, ...said, ...given('decidedAt', endedAt) };
}

function asked(
  { id, name, request, due, needs }: EventOf<'wait-start'>,
  kind: Approval['kind'],
  where: { readonly generation: number; readonly seq: number; readonly at: number },
): Approval {
  const fields = fieldsOf(request);
  const scopes = needs?.scopes.join(' or ');
  return {
    generation: where.generation,
    seq: where.seq,
    id,
    kind,
    action: textIn(fields, 'action') ?? textIn(fields, 'prompt') ?? name,
    ...given('why', textIn(fields, 'why')),
    ...given('risk', textIn(fields, 'risk')),
    ...given('expectedEffect', textIn(fields, 'expectedEffect')),
    ...given('undo', textIn(fields, 'undo')),
    ...given('to', textIn(fields, 'to') ?? (scopes === '' ? undefined : scopes)),
    request: fields,
    askedAt: where.at,
    ...given('due', due),
    status: 'waiting',
  };
}

const STATUS_OF: Readonly<Record<string, ApprovalStatus>> = {
  approve: 'approved',
  reject: 'rejected',
  modify: 'modified',
  escalate: 'escalated',
};

function answered(kind: Approval['kind'], { from, payload, timedOut }: EventOf<'wait-end'>): Partial<Approval> {
  const by = given('by', from);
  if (timedOut === true) return { status: 'timed-out', ...by };
  const verdict = fieldsOf(payload);
  const known = STATUS_OF[textIn(verdict, 'verdict') ?? ''];
  if (kind !== 'approval' || known === undefined) return { status: 'answered', ...by, ...given('value', payload) };
  return { status: known, ...by, ...given('reason', textIn(verdict, 'reason')), ...given('value', verdict['value']) };
}
