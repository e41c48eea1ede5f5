import { metrics } from './inbox-store.js';
import { ALARMS } from './verdict-words.js';

/** How people decide, small; an alarm is not. */
export function MetricsLine() {
  const known = metrics.value;
  if (known === undefined || (known.verdicts === 0 && known.deadlineMisses === 0)) return null;
  const { verdicts, unmodifiedShare, rejected, modified, deadlineMisses, alarms } = known;
  return (
    <div class="inbox-metrics">
      <p class="quiet number">
        {verdicts} {verdicts === 1 ? 'verdict' : 'verdicts'}
        {unmodifiedShare === undefined ? null : ` · ${Math.round(unmodifiedShare * 100)}% approved unchanged`}
        {rejected === 0 ? null : ` · ${rejected} rejected`}
        {modified === 0 ? null : ` · ${modified} modified`}
        {deadlineMisses === 0 ? null : ` · ${deadlineMisses} expired`}
      </p>
      {alarms.map((alarm) => (
        <p class="note warn" role="status" key={alarm}>
          {ALARMS[alarm]}
        </p>
      ))}
    </div>
  );
}
