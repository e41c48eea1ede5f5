import type { GuardDecision } from '../../../flyball/src/core/events.js';
import { Badge } from '../ui/badge.js';
import type { Tone } from '../ui/tone.js';
import './gates.css';

export const VERDICTS: Readonly<Record<GuardDecision['verdict'], { readonly text: string; readonly tone: Tone }>> = {
  allowed: { text: '✓ allowed', tone: 'good' },
  denied: { text: '⊘ denied', tone: 'bad' },
  blocked: { text: '⊘ blocked', tone: 'bad' },
  asked: { text: '? asked', tone: 'warn' },
  obliged: { text: '✓ obliged', tone: 'good' },
  warned: { text: '! warned', tone: 'warn' },
  escalated: { text: '↑ escalated', tone: 'warn' },
};

/** What guards decided, each with the rule and the policy it went by. */
export function DecisionList({ decisions }: { readonly decisions: readonly GuardDecision[] }) {
  return (
    <ul class="decisions">
      {decisions.map((decision) => (
        <li key={`${decision.guard} ${decision.verdict} ${decision.why}`} data-verdict={decision.verdict}>
          <Badge tone={VERDICTS[decision.verdict].tone}>{VERDICTS[decision.verdict].text}</Badge>
          <span>
            <strong>{decision.guard}</strong>: {decision.why}
            {decision.rule === undefined ? null : (
              <span class="quiet">
                {' '}
                rule <code>{decision.rule}</code>
              </span>
            )}
            {decision.policy === undefined ? null : (
              <span class="quiet">
                {' '}
                policy <code title={decision.policy}>{short(decision.policy)}</code>
              </span>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Version and the beginning of the hash: enough to tell policies apart. */
function short(policy: string): string {
  return policy.length > 24 ? `${policy.slice(0, 24)}…` : policy;
}
