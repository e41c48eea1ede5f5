import { AXES, type CountedAxis } from '../../../flyball/src/core/budget.js';
import type { AxisUse } from '../../../flyball/src/views/summary.js';
import { AXIS_NAMES } from './amounts.js';
import { Gauge } from './gauge.js';

/** All budgets of a run as bars. */
export function Bars({ usage }: { readonly usage: Readonly<Partial<Record<CountedAxis, AxisUse>>> }) {
  return (
    <dl class="bars">
      {AXES.map((axis) => {
        const use = usage[axis];
        if (use === undefined) return null;
        return (
          <div key={axis}>
            <dt>{AXIS_NAMES[axis]}</dt>
            <dd>
              <Gauge axis={axis} use={use} />
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
