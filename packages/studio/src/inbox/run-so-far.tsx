import { href } from '../router/router.js';
import { StatusBadge } from '../ui/badge.js';
import { Gauge } from '../ui/gauge.js';
import type { WholeRequest } from './requests.js';

/** What led to the question, for those who do not want to open the run. */
export function RunSoFar({ request }: { readonly request: WholeRequest }) {
  const { card, timeline, run } = request;
  const cost = card.usage.costUsd;
  return (
    <aside class="run-so-far" aria-label="The run so far">
      <h2>The run so far</h2>
      <p class="run-line">
        <a href={href(`/runs/${encodeURIComponent(run)}`)} class="mono">
          {run}
        </a>{' '}
        <StatusBadge status={card.status} />
      </p>
      {cost === undefined ? null : <Gauge axis="costUsd" use={cost} />}
      <ol class="story">
        {timeline.map(({ symbol, text, detail, offsetMs }, index) => (
          <li key={index} title={detail ?? ''}>
            <span class="quiet number">+{(offsetMs / 1000).toFixed(1)} s</span> <span aria-hidden="true">{symbol}</span>{' '}
            {text}
          </li>
        ))}
      </ol>
    </aside>
  );
}
