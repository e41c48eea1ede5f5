import type { ApprovalRequest } from '../../core/approval.js';
import type { Run } from '../../core/run.js';
import type { Artefact } from '../../core/work.js';
import { type Decided, requestApproval } from '../../people/request-approval.js';
import type { GateOverride, GateResult } from './contracts.js';
import { closedGate } from './exit/exit-decision.js';
import type { PhaseReport, Work } from './work.js';

/** `partial` stands for a yes: whether that is a whole commit depends on where it was asked. */
export async function askPeople(run: Run, work: Work, why: string): Promise<PhaseReport> {
  if (work.parts.whenUnsure === 'fail')
    return { event: 'rejected', why: `${why}; it may not ask anybody to approve this` };
  const decided = await requestApproval(run, requestFor(work, why), work.parts.approval, `review:${run.path}`);
  work.people.decisions = decided.history;
  switch (decided.verdict) {
    case 'approved':
      work.people.approvers = decided.by;
      work.people.overrides = overridesOf(work, decided);
      return { event: 'partial', why: `approved by ${decided.by.join(', ')}` };
    case 'rejected':
      return { event: 'rejected', why: decided.why };
    case 'timed-out':
      return { event: 'rejected', why: 'nobody decided in time' };
    case 'modified': {
      const replacement = replacementIn(decided.value);
      if (replacement === undefined) work.people.feedback = textOf(decided.value, decided.reason);
      work.people.replacement = replacement;
      work.repairing.escalateBecause = undefined; // a person's word is a new start
      work.repairing.exhausted = undefined;
      return { event: 'modified', why: `${decided.by} wants it otherwise` };
    }
  }
}

/** The confidence gate among them: below it a person is only asked about less than was asked for. */
function closedGates({ exit }: Work): readonly GateResult[] {
  return (exit?.gates ?? []).filter(({ passed }) => !passed);
}

function overridesOf(work: Work, { by, history }: Decided & { readonly verdict: 'approved' }): readonly GateOverride[] {
  const agreed = history.filter(({ verdict, by: who }) => verdict === 'approve' && by.includes(who));
  const reason = agreed.flatMap((decision) => decision.reason ?? []).join('; ');
  return closedGates(work).map(({ gate, score, threshold }) => ({ gate, score, threshold, by, reason }));
}

function requestFor(work: Work, why: string): ApprovalRequest {
  const { made, verified, exit, people, task } = work;
  const { decisions } = people;
  const closed = closedGates(work).map(closedGate);
  return {
    action: 'commit',
    output: { task: task.goal, artefacts: made.artefacts, ...(made.value === undefined ? {} : { value: made.value }) },
    why: [why, ...(exit?.triggers ?? [])].join('; '),
    expectedEffect:
      closed.length === 0
        ? `The result is committed under task ${task.id} and given out as done.`
        : `The result is committed under task ${task.id} as partial, with your reason, and not given out as done.`,
    ...(closed.length === 0 ? {} : { overrides: closed }),
    undo: 'A committed result stays; what the loop changed by tools that can be undone is undone when it is rejected.',
    alternatives: [
      'reject it with a reason: the loop fails and is rolled back',
      'modify it: text is used as feedback, { "artefacts": { "<name>": "<text>" } } replaces the artifacts',
    ],
    scores: { ...verified.scores, composite: verified.composite, tests: verified.testPassRate },
    ...(exit === undefined ? {} : { confidence: exit.confidence, risk: exit.risk }),
    ...recommendationFor(work, closed.length === 0),
    ...(decisions.length === 0 ? {} : { history: decisions }),
  };
}

/** Where samples agree with each other and not with the output, what they say is recommended in its place. */
function recommendationFor(
  { made, verified, exit }: Work,
  isOpen: boolean,
): Pick<ApprovalRequest, 'recommendation' | 'recommended'> {
  const [only, ...others] = made.artefacts;
  const isContradicted = exit?.gates.some(({ gate, passed }) => gate === 'consistency' && !passed) === true;
  const agreed = verified.consistency?.agreed;
  if (isContradicted && agreed !== undefined && only !== undefined && others.length === 0 && agreed !== only.text)
    return { recommendation: 'modify', recommended: { artefacts: { [only.name]: agreed } } };
  return { recommendation: isOpen ? 'approve' : 'reject' };
}

/** Artefacts that a person wrote out, or undefined where they used words. */
function replacementIn(value: unknown): readonly Artefact[] | undefined {
  const artefacts = (value as { readonly artefacts?: unknown } | null)?.artefacts;
  if (typeof artefacts !== 'object' || artefacts === null) return undefined;
  const written = Object.entries(artefacts).filter(([, text]) => typeof text === 'string');
  return written.length === 0 ? undefined : written.map(([name, text]) => ({ name, text: text as string }));
}

function textOf(value: unknown, reason: string | undefined): string {
  const words = typeof value === 'string' ? value : JSON.stringify(value);
  return reason === undefined ? words : `${words}\n${reason}`;
}
