import { type Column, Table } from '../ui/table.js';
import type { Claim, Curve, Laboratory } from './catalogue.js';

const share = (value: number): string => value.toFixed(3);

const COLUMNS: readonly Column<Claim>[] = [
  { title: 'Claim', cell: ({ id, says }) => <span title={id}>{says}</span> },
  { title: 'Measured', align: 'right', cell: ({ measured }) => share(measured.value) },
  { title: 'Expected', align: 'right', cell: ({ measured }) => share(measured.expected) },
  { title: 'Calls', align: 'right', cell: ({ measured }) => measured.calls.toFixed(2) },
  { title: 'Baseline', align: 'right', cell: ({ baseline }) => share(baseline.value) },
  {
    title: 'Gain',
    align: 'right',
    cell: ({ paired: { gain } }) => `${gain < 0 ? '−' : '+'}${share(Math.abs(gain))}`,
  },
];

/** What simulated models show about one pattern, under the condition that it is true under. */
export function LaboratoryOf({ id, laboratory }: { readonly id: string; readonly laboratory: Laboratory }) {
  const rows = laboratory.rows.filter(({ pattern }) => pattern === id);
  const curves = laboratory.curves.filter(({ pattern }) => pattern === id);
  if (rows.length === 0 && curves.length === 0) return null;
  return (
    <section class="card card-body laboratory" aria-label="Laboratory">
      <h2>Laboratory</h2>
      <p class="quiet">
        {laboratory.condition} {laboratory.items} items for each claim.
      </p>
      <div class="curves">
        {curves.map((curve) => (
          <CurvePlot key={curve.id} curve={curve} />
        ))}
      </div>
      {rows.length === 0 ? null : (
        <Table label="Claims" columns={COLUMNS} rows={rows} keyOf={({ id: claim }) => claim} />
      )}
    </section>
  );
}

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [420, 260, 38, 10, 10, 44];
const TICKS = [0, 0.2, 0.4, 0.6, 0.8, 1];

/** Lines are what theory expects, dots what was measured. */
function CurvePlot({ curve: { title, x, y, lines } }: { readonly curve: Curve }) {
  const all = lines.flatMap(({ points }) => points);
  const [from, to] = [Math.min(...all.map((place) => place.x)), Math.max(...all.map((place) => place.x))];
  const across = (value: number) => LEFT + ((value - from) / (to - from || 1)) * (WIDTH - LEFT - RIGHT);
  const up = (value: number) => HEIGHT - BOTTOM - value * (HEIGHT - TOP - BOTTOM);
  return (
    <figure class="curve" data-curve={title}>
      <figcaption>{title}</figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${title}: ${y} by ${x}`}>
        {TICKS.map((tick) => (
          <g key={tick}>
            <path class="curve-grid" d={`M${LEFT} ${up(tick)}H${WIDTH - RIGHT}`} />
            <text x={LEFT - 6} y={up(tick) + 4} text-anchor="end">
              {tick}
            </text>
            <text x={across(from + tick * (to - from))} y={HEIGHT - BOTTOM + 16} text-anchor="middle">
              {Number((from + tick * (to - from)).toFixed(2))}
            </text>
          </g>
        ))}
        <text x={(LEFT + WIDTH - RIGHT) / 2} y={HEIGHT - 8} text-anchor="middle">
          {x}
        </text>
        {lines.map(({ name, points, measured }, index) => (
          <g key={name} class={`curve-line of-${index % 4}`}>
            <path
              class="curve-law"
              d={points.map((place, n) => `${n === 0 ? 'M' : 'L'}${across(place.x)} ${up(place.y)}`).join('')}
            />
            {measured.map((place) => (
              <circle class="curve-dot" key={place.x} cx={across(place.x)} cy={up(place.y)} r="3.5" />
            ))}
          </g>
        ))}
      </svg>
      <div class="curve-legend quiet">
        {lines.map(({ name }, index) => (
          <span key={name}>
            <svg width="18" height="8" aria-hidden="true" class={`curve-line of-${index % 4}`}>
              <path class="curve-law" d="M0 4H18" />
            </svg>
            {name}
          </span>
        ))}
      </div>
    </figure>
  );
}
