import { dollars } from '../ui/amounts.js';
import { Badge } from '../ui/badge.js';
import { ApprovalLine } from './approval-line.js';
import type { Attempt, Gate } from './fold-attempts.js';

/** One attempt: its gates with scores against thresholds, what was decided, and the repairs that followed. */
export function AttemptView({
  attempt,
  before,
  isLast,
}: {
  readonly attempt: Attempt;
  readonly before: Attempt | undefined;
  readonly isLast: boolean;
}) {
  const { n, verdict, why, gates, confidence, error, control, risk, triggers, repairs, remarks, approvals } = attempt;
  const closed = gates.filter(({ passed }) => !passed).length;
  return (
    <details class="attempt" open={isLast}>
      <summary>
        <strong>Attempt {n}</strong>{' '}
        <Badge tone={verdict === undefined ? 'busy' : closed === 0 && gates.length > 0 ? 'good' : 'bad'}>
          {verdict ?? 'being measured'}
        </Badge>{' '}
        {gates.length === 0 ? null : (
          <span class="quiet">
            {gates.length - closed} of {gates.length} gates open
          </span>
        )}
      </summary>
      {why === undefined ? null : <p>{why}</p>}
      {gates.length === 0 ? null : <GateTable gates={gates} before={before?.gates ?? []} n={n} />}
      <p class="quiet attempt-figures">
        {[
          confidence === undefined ? '' : `confidence ${confidence.toFixed(2)}`,
          error === undefined ? '' : `distance from the goal ${error.toFixed(3)}`,
          control === undefined ? '' : `controller: ${control}`,
          risk === undefined ? '' : `risk ${risk}`,
          triggers.length === 0 ? '' : `asks a person because of ${triggers.join(', ')}`,
        ]
          .filter((part) => part !== '')
          .join(' · ')}
      </p>
      {approvals.map((approval) => (
        <ApprovalLine key={approval.id} approval={approval} />
      ))}
      {repairs.length === 0 ? null : (
        <>
          <h4>Repairs</h4>
          <ul class="decisions">
            {repairs.map((repair) => (
              <li key={repair.n}>
                <Badge tone={repair.resolved ? 'good' : 'warn'}>{repair.resolved ? '✓ resolved' : '! not fixed'}</Badge>
                <span>
                  {repair.description}{' '}
                  <span class="quiet">
                    {repair.cause}, by {repair.strategy} at {repair.intensity.toFixed(2)}, {dollars(repair.costUsd)}
                  </span>
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
      {remarks.length === 0 ? null : (
        <ul class="remarks">
          {remarks.map((remark) => (
            <li key={remark}>{remark}</li>
          ))}
        </ul>
      )}
    </details>
  );
}

function GateTable({
  gates,
  before,
  n,
}: {
  readonly gates: readonly Gate[];
  readonly before: readonly Gate[];
  readonly n: number;
}) {
  return (
    <table class="gate-table" aria-label={`Gates of attempt ${n}`}>
      <thead>
        <tr>
          <th scope="col">Gate</th>
          <th scope="col">Score</th>
          <th scope="col">Needed</th>
          <th scope="col">Verdict</th>
        </tr>
      </thead>
      <tbody>
        {gates.map((gate) => (
          <tr key={gate.gate} data-passed={gate.passed}>
            <th scope="row">
              {gate.gate}
              {gate.note === undefined ? null : <span class="quiet gate-note">{gate.note}</span>}
            </th>
            <td>
              <span class="number">{gate.score.toFixed(2)}</span> <Change gate={gate} before={before} />
              <Meter gate={gate} />
            </td>
            <td class="number">{gate.threshold.toFixed(2)}</td>
            <td>
              <Badge tone={gate.passed ? 'good' : 'bad'}>{gate.passed ? '✓ open' : '✗ closed'}</Badge>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Change({ gate, before }: { readonly gate: Gate; readonly before: readonly Gate[] }) {
  const last = before.find((each) => each.gate === gate.gate);
  const by = last === undefined ? 0 : gate.score - last.score;
  if (Math.abs(by) < 0.005) return null;
  return (
    <span class={`number ${by > 0 ? 'better' : 'worse'}`}>
      {by > 0 ? '▲' : '▼'} {Math.abs(by).toFixed(2)}
    </span>
  );
}

/** The score as a bar, with a line where the threshold is. */
function Meter({ gate }: { readonly gate: Gate }) {
  const share = (value: number) => `${Math.min(1, Math.max(0, value)) * 100}%`;
  return (
    <span class={`meter ${gate.passed ? 'good' : 'bad'}`} aria-hidden="true">
      <span class="meter-fill" style={{ width: share(gate.score) }} />
      <span class="meter-line" style={{ left: share(gate.threshold) }} />
    </span>
  );
}
