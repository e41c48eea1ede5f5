import { duration } from '../ui/amounts.js';
import { useNarrow } from '../ui/use-narrow.js';
import type { TimeScale } from './time-scale.js';

/** Marks of worked time, and where the run was at rest. */
export function WaterfallAxis({ time, factor }: { readonly time: TimeScale; readonly factor: number }) {
  const narrow = useNarrow();
  return (
    <div class="wf-axis">
      <span class="wf-name quiet">Active time</span>
      <span class="wf-track">
        {time
          .ticks(Math.min(64, (narrow ? 2 : 6) * factor))
          .filter(({ at }) => at < 1 - (narrow ? 0.2 : 0.08) / factor)
          .map(({ at, workedMs }) => (
            <span key={workedMs} class="wf-tick number" style={{ left: `${at * 100}%` }}>
              {workedMs === 0 ? '0' : duration(workedMs).replace(/\.0+ s$/, ' s')}
            </span>
          ))}
        {time.rests.map((rest) => {
          const left = time.at(rest.from);
          return (
            <span
              key={rest.from}
              class="wf-rest"
              title={`Waiting for ${duration(rest.to - rest.from)}`}
              style={{ left: `${left * 100}%`, width: `${(time.at(rest.to) - left) * 100}%` }}
            >
              <span class="visually-hidden">Waiting for {duration(rest.to - rest.from)}</span>
            </span>
          );
        })}
      </span>
    </div>
  );
}
