import type { PlanView, StepView } from './plan-view.js';
import { StepDetails } from './step-details.js';
import { STATE_SIGNS } from './step-state.js';

/** The same plan as a list, in which a step can be opened: for a phone, and for whoever reads with a screen reader. */
export function PlanList({
  plan,
  chosen,
  onPick,
}: {
  readonly plan: PlanView;
  readonly chosen: string | undefined;
  readonly onPick: (id: string) => void;
}) {
  return (
    <ol class="plan-list">
      {plan.steps.map((step) => (
        <li key={step.id} class={`state-${step.state}`} data-step={step.id} data-state={step.state}>
          <button type="button" aria-expanded={step.id === chosen} onClick={() => onPick(step.id)}>
            <span class="plan-line">
              <span class="state-sign" aria-hidden="true">
                {STATE_SIGNS[step.state]}
              </span>
              <strong>{step.id}</strong>
              <span class="state-word">{step.state}</span>
            </span>
            <span>{step.description}</span>
            <span class="quiet">{needsOf(step, plan)}</span>
          </button>
          {step.id === chosen ? <StepDetails step={step} /> : null}
        </li>
      ))}
    </ol>
  );
}

function needsOf({ id, required }: StepView, { edges }: PlanView): string {
  const needs = edges.filter(({ to }) => to === id).map(({ from }) => from);
  const tools = required.map(({ tool, satisfiedBy }) => `${tool} ${satisfiedBy.length > 0 ? '✓' : '(not called yet)'}`);
  return [
    needs.length === 0 ? 'No dependencies.' : `After ${[...new Set(needs)].join(', ')}.`,
    ...(tools.length === 0 ? [] : [`Requires ${tools.join(', ')}.`]),
  ].join(' ');
}
