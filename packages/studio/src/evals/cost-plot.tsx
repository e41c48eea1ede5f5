import { useNarrow } from '../ui/use-narrow.js';
import type { Point } from './evaluations.js';
import { labelsOf, NARROW_SIZE, pathOf, SIZE, scaleOf, shapesOf } from './plot-scale.js';

/** Pass rate by cost per task. Numbers stand for the rows of the table below it. */
export function CostPlot({ points }: { readonly points: readonly Point[] }) {
  const size = useNarrow() ? NARROW_SIZE : SIZE;
  const scale = scaleOf(points, size);
  const shapes = shapesOf(points);
  const agents = [...shapes.keys()];
  const { costs, passes, x, y } = scale;
  const bottom = size.height - size.bottom;
  const right = size.width - size.right;
  return (
    <figure class="plot-box">
      <svg viewBox={`0 0 ${size.width} ${size.height}`} class="plot" role="img" aria-label="Pass rate by cost per task">
        {costs.map((cost) => (
          <g key={cost}>
            <path class="plot-grid" d={`M${x(cost)} ${size.top}V${bottom}`} />
            <text x={x(cost)} y={bottom + 18} text-anchor="middle">
              ${cost}
            </text>
          </g>
        ))}
        {passes.map((pass) => (
          <g key={pass}>
            <path class="plot-grid" d={`M${size.left} ${y(pass)}H${right}`} />
            <text x={size.left - 8} y={y(pass) + 4} text-anchor="end">
              {Math.round(pass * 100)} %
            </text>
          </g>
        ))}
        <text x={(size.left + right) / 2} y={bottom + 40} text-anchor="middle">
          cost per task (USD, log scale)
        </text>
        {points.map(({ label, agent, pass1, costPerTask }) => (
          <path
            key={label}
            class={`plot-mark of-${agents.indexOf(agent) % 5}`}
            data-agent={agent}
            transform={`translate(${x(costPerTask)} ${y(pass1)})`}
            d={pathOf(shapes.get(agent) ?? 'circle', 6)}
          >
            <title>
              {label}: {Math.round(pass1 * 100)} % at ${costPerTask.toPrecision(2)}
            </title>
          </path>
        ))}
        {labelsOf(points, scale).map(({ number, x: left, y: top }) => (
          <text key={number} class="plot-label" x={left} y={top}>
            {number}
          </text>
        ))}
      </svg>
      <figcaption class="plot-legend">
        {[...shapes].map(([agent, shape]) => (
          <span key={agent}>
            <svg viewBox="-10 -10 20 20" width="16" height="16" aria-hidden="true">
              <path class={`plot-mark of-${agents.indexOf(agent) % 5}`} d={pathOf(shape, 6)} />
            </svg>
            {agent}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}
