import { asSentences } from '../inbox/verdict-words.js';
import { Badge } from '../ui/badge.js';
import { Code } from '../ui/code.js';
import type { Tone } from '../ui/tone.js';
import type { Approval, ApprovalStatus } from './fold-approvals.js';
import './gates.css';

const STATUS: Readonly<Record<ApprovalStatus, { readonly text: string; readonly tone: Tone }>> = {
  waiting: { text: '‖ waiting', tone: 'warn' },
  approved: { text: '✓ approved', tone: 'good' },
  rejected: { text: '✗ rejected', tone: 'bad' },
  modified: { text: '↻ modified', tone: 'warn' },
  escalated: { text: '↑ escalated', tone: 'warn' },
  answered: { text: '✓ answered', tone: 'good' },
  withdrawn: { text: '· withdrawn', tone: 'idle' },
  'timed-out': { text: '✗ no answer in time', tone: 'bad' },
};

/** What a person was asked, who decided and why. */
export function ApprovalLine({ approval }: { readonly approval: Approval }) {
  const { action, status, by, reason, why, risk, to, value, undo, expectedEffect } = approval;
  return (
    <div class="approval" data-status={status}>
      <p class="approval-head">
        <Badge tone={STATUS[status].tone}>{STATUS[status].text}</Badge> <strong>{action}</strong>
        {by === undefined ? null : <> by {by}</>}
        {status === 'waiting' && to !== undefined ? <span class="quiet"> asks {to}</span> : null}
        {risk === undefined ? null : <span class="quiet"> risk {risk}</span>}
      </p>
      {reason === undefined ? null : <p class="person-said">“{reason}”</p>}
      {why === undefined ? null : <p class="quiet">Why: {asSentences(why)}</p>}
      {expectedEffect === undefined ? null : <p class="quiet">Effect: {expectedEffect}</p>}
      {undo === undefined ? null : <p class="quiet">Undo: {undo}</p>}
      {value === undefined ? null : <Code value={value} label="Modified to" />}
    </div>
  );
}
