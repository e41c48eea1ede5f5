import type { CountedAxis } from '../../../flyball/src/core/budget.js';
import type { AxisUse } from '../../../flyball/src/views/summary.js';
import { AXIS_NAMES, amountOn, shareOf, toneOf } from './amounts.js';

/** How much of one budget is used, small enough for a row of a table. */
export function Gauge({
  axis,
  use,
  short,
}: {
  readonly axis: CountedAxis;
  readonly use: AxisUse;
  readonly short?: boolean;
}) {
  const { spent, limit } = use;
  const spentText = amountOn(axis, spent);
  if (limit === undefined) return <span class="number">{spentText}</span>;
  const share = shareOf(spent, limit);
  const text = `${spentText} of ${amountOn(axis, limit)}`;
  return (
    <span class={`gauge ${toneOf(share)}`} title={`${AXIS_NAMES[axis]}: ${text}`}>
      <span class="gauge-text number">{short === true ? spentText : text}</span>
      <span
        class="gauge-bar"
        role="meter"
        aria-label={AXIS_NAMES[axis]}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={Math.min(spent, limit)}
        aria-valuetext={text}
      >
        <span class="gauge-fill" style={{ width: `${share * 100}%` }} />
      </span>
    </span>
  );
}
