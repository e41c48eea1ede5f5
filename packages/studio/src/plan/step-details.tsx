import { FoldedText } from '../conversation/folded-text.js';
import { duration } from '../ui/amounts.js';
import type { StepView } from './plan-view.js';
import { STATE_SIGNS } from './step-state.js';

/** Everything known about one step. */
export function StepDetails({ step }: { readonly step: StepView }) {
  const { id, state, description, type, expected, mode, dependsOn, required, calls, result, why, remarks } = step;
  const { startedAt, endedAt, attempts } = step;
  return (
    <div class={`step-details state-${state}`} aria-live="polite">
      <h3>
        <span class="state-sign" aria-hidden="true">
          {STATE_SIGNS[state]}
        </span>{' '}
        {id} <span class="state-word">{state}</span>
      </h3>
      <p>{description}</p>
      <dl class="step-facts">
        <Fact name="Kind">{type === 'tool' ? `tool step${mode === '' ? '' : `, ${mode}`}` : 'reasoning'}</Fact>
        {expected === '' ? null : <Fact name="Expected">{expected}</Fact>}
        {dependsOn.length === 0 ? null : <Fact name="Needs">{dependsOn.join(', ')}</Fact>}
        {attempts > 1 ? <Fact name="Tries">{attempts}</Fact> : null}
        {startedAt === undefined || endedAt === undefined ? null : (
          <Fact name="Took">{duration(endedAt - startedAt)}</Fact>
        )}
        {why === undefined ? null : <Fact name="Why">{why}</Fact>}
      </dl>
      {required.length === 0 ? null : (
        <>
          <h4>Required tools</h4>
          <ul class="required">
            {required.map(({ tool, satisfiedBy }) => (
              <li key={tool} data-satisfied={satisfiedBy.length > 0}>
                <span aria-hidden="true">{satisfiedBy.length > 0 ? '✓' : '○'}</span> <code>{tool}</code>{' '}
                {satisfiedBy.length === 0 ? (
                  <span class="quiet">no successful call yet</span>
                ) : (
                  <span class="quiet">
                    by <code>{satisfiedBy.join(', ')}</code>
                  </span>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
      {calls.length === 0 ? null : (
        <>
          <h4>Calls</h4>
          <ul class="required">
            {calls.map(({ tool, effect, status, code }) => (
              <li key={effect} data-status={status}>
                <span aria-hidden="true">{status === 'ok' ? '✓' : status === 'running' ? '▶' : '✗'}</span>{' '}
                <code>{tool}</code> {status}
                {code === undefined ? null : <span class="quiet"> {code}</span>}
              </li>
            ))}
          </ul>
        </>
      )}
      {remarks.length === 0 ? null : (
        <>
          <h4>Events</h4>
          <ul class="required">
            {remarks.map((remark, index) => (
              <li key={index}>{remark}</li>
            ))}
          </ul>
        </>
      )}
      {result === '' ? null : (
        <>
          <h4>Result</h4>
          <FoldedText text={result} label={`the result of ${id}`} />
        </>
      )}
    </div>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: string | number }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
