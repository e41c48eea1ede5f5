import { useComputed } from '@preact/signals';
import { useMemo, useState } from 'preact/hooks';
import { PrefixFold } from '../run/prefix-fold.js';
import type { RunModel } from '../run/run-model.js';
import { Badge } from '../ui/badge.js';
import { Empty } from '../ui/empty.js';
import { Split } from '../ui/split.js';
import type { Tone } from '../ui/tone.js';
import { PlanFold } from './fold-plan.js';
import { PlanGraph } from './plan-graph.js';
import { PlanList } from './plan-list.js';
import type { PlanView } from './plan-view.js';
import { StepDetails } from './step-details.js';
import { STATE_SIGNS, STEP_STATES } from './step-state.js';
import './plan.css';

/** The plans of a run, each as a graph and as a list, filled in as far as the slider shows. */
export function PlanTab({ model }: { readonly model: RunModel }) {
  const fold = useMemo(
    () =>
      new PrefixFold(
        () => new PlanFold(),
        (each) => each.plans(),
      ),
    [],
  );
  const plans = useComputed(() => fold.of(model.story.value)).value;
  const [picked, setPicked] = useState<string | undefined>(undefined);
  const plan = plans.find(({ key }) => key === picked) ?? plans.at(-1);
  if (plan === undefined) return <Empty title="No plan yet.">The plan appears here when the agent writes one.</Empty>;
  return (
    <div class="plan">
      {plans.length === 1 ? null : (
        <label class="plan-pick">
          Plan{' '}
          <select class="field" value={plan.key} onChange={(event) => setPicked(event.currentTarget.value)}>
            {plans.map(({ key, goal, scope }) => (
              <option key={key} value={key}>
                {scope === '' ? '' : `${scope}: `}
                {goal}
              </option>
            ))}
          </select>
        </label>
      )}
      <OnePlan key={plan.key} plan={plan} />
    </div>
  );
}

function OnePlan({ plan }: { readonly plan: PlanView }) {
  const [form, setForm] = useState<'graph' | 'list'>(() =>
    matchMedia('(max-width: 760px)').matches ? 'list' : 'graph',
  );
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  const step =
    plan.steps.find(({ id }) => id === chosen) ?? plan.steps.find(({ state }) => state === 'running') ?? plan.steps[0];
  const pick = (id: string) => setChosen(id);
  return (
    <>
      <PlanHead plan={plan} />
      <div class="plan-tools">
        <fieldset class="plan-choices">
          <legend class="visually-hidden">View</legend>
          {(['graph', 'list'] as const).map((each) => (
            <button
              key={each}
              type="button"
              class="button small"
              aria-pressed={form === each}
              onClick={() => setForm(each)}
            >
              {each === 'graph' ? 'Graph' : 'List'}
            </button>
          ))}
        </fieldset>
        <StateLegend plan={plan} />
      </div>
      {form === 'graph' ? (
        <Split
          label="Details of the step"
          main={<PlanGraph plan={plan} chosen={step?.id} onPick={pick} />}
          side={step === undefined ? null : <StepDetails step={step} />}
        />
      ) : (
        <PlanList plan={plan} chosen={chosen} onPick={(id) => setChosen(id === chosen ? undefined : id)} />
      )}
      <Revisions plan={plan} />
    </>
  );
}

const TONES: Readonly<Record<PlanView['status'], Tone>> = {
  drafted: 'idle',
  running: 'busy',
  completed: 'good',
  failed: 'bad',
};

function PlanHead({ plan }: { readonly plan: PlanView }) {
  const over = plan.steps.filter(({ state }) => !['planned', 'running', 'waiting'].includes(state)).length;
  return (
    <header class="plan-head">
      <h2>{plan.goal}</h2>
      <p class="quiet">
        <Badge tone={TONES[plan.status]}>{plan.status}</Badge> version {plan.version} · {plan.shape} · {over} of{' '}
        {plan.steps.length} steps finished
      </p>
      {plan.why === undefined ? null : <p class="failure">{plan.why}</p>}
    </header>
  );
}

function StateLegend({ plan }: { readonly plan: PlanView }) {
  const there = STEP_STATES.filter((state) => plan.steps.some((step) => step.state === state));
  return (
    <ul class="plan-legend" aria-label="States of the steps">
      {there.map((state) => (
        <li key={state} class={`state-${state}`}>
          <span class="state-sign" aria-hidden="true">
            {STATE_SIGNS[state]}
          </span>{' '}
          {plan.steps.filter((step) => step.state === state).length} {state}
        </li>
      ))}
    </ul>
  );
}

function Revisions({ plan }: { readonly plan: PlanView }) {
  if (plan.revisions.length === 0 && plan.issues.length === 0) return null;
  return (
    <section class="plan-revisions">
      {plan.issues.length === 0 ? null : (
        <>
          <h3>Findings of the checks</h3>
          <ul>
            {plan.issues.map(({ severity, message }) => (
              <li key={message}>
                <Badge tone={severity === 'warning' ? 'warn' : 'bad'}>{severity}</Badge> {message}
              </li>
            ))}
          </ul>
        </>
      )}
      {plan.revisions.length === 0 ? null : (
        <>
          <h3>Changes</h3>
          <ol>
            {plan.revisions.map(({ version, because, added, dropped, edited }) => (
              <li key={version}>
                Version {version}: {because}
                <span class="quiet">
                  {added.length === 0 ? '' : ` Added ${added.join(', ')}.`}
                  {dropped.length === 0 ? '' : ` Dropped ${dropped.join(', ')}.`}
                  {edited.length === 0 ? '' : ` Changed ${edited.join(', ')}.`}
                </span>
              </li>
            ))}
          </ol>
        </>
      )}
    </section>
  );
}
