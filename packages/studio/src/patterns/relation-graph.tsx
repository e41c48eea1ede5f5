import { useState } from 'preact/hooks';
import { navigate } from '../router/router.js';
import { type Arrow, onCircle, type Spot } from './graph-layout.js';

const RADIUS = 250;
const EDGE = 70;
const HALF = RADIUS + EDGE;
const OUT = 1.06;

export const KIND_WORDS = {
  requires: 'requires',
  conflicts: 'conflicts with',
  'upgrades-to': 'upgrades to',
  tension: 'is in tension with',
} as const;

/** Patterns on a circle with their relations; whatever is pointed at shows only its own. */
export function RelationGraph({
  ids,
  names,
  arrows,
  middle,
}: {
  readonly ids: readonly string[];
  readonly names: ReadonlyMap<string, string>;
  readonly arrows: readonly Arrow[];
  readonly middle?: string;
}) {
  const [near, setNear] = useState<string>();
  const spots = onCircle(ids, middle);
  const drawn = arrows.filter(({ from, to }) => spots.has(from) && spots.has(to) && from !== to);
  const isFaint = ({ from, to }: Arrow) => near !== undefined && from !== near && to !== near;
  return (
    <figure class="relation-box">
      <svg
        class={`relations ${middle === undefined ? '' : 'few'}`}
        viewBox={`${-HALF} ${-HALF} ${2 * HALF} ${2 * HALF}`}
        role="group"
      >
        <title>{`${ids.length} patterns and ${drawn.length} relations between them`}</title>
        {drawn.map((arrow, index) => (
          <path
            key={index}
            class={`relation ${arrow.kind} ${isFaint(arrow) ? 'faint' : ''}`}
            data-relation={`${arrow.from} ${arrow.kind} ${arrow.to}`}
            d={curve(spots.get(arrow.from), spots.get(arrow.to))}
          >
            <title>{`${arrow.from} ${KIND_WORDS[arrow.kind]} ${arrow.to}: ${arrow.why}`}</title>
          </path>
        ))}
        {[...spots.values()].map((spot) => (
          <Node
            key={spot.id}
            spot={spot}
            name={names.get(spot.id) ?? ''}
            isMiddle={spot.id === middle}
            onNear={(isNear) => setNear(isNear ? spot.id : undefined)}
          />
        ))}
      </svg>
      <figcaption class="relation-legend quiet">
        {Object.entries(KIND_WORDS).map(([kind, words]) => (
          <span key={kind}>
            <svg width="22" height="8" aria-hidden="true">
              <path class={`relation ${kind}`} d="M0 4H22" />
            </svg>
            {words}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

function Node({
  spot: { id, x, y },
  name,
  isMiddle,
  onNear,
}: {
  readonly spot: Spot;
  readonly name: string;
  readonly isMiddle: boolean;
  readonly onNear: (isNear: boolean) => void;
}) {
  const open = () => navigate(`/patterns/${id}`);
  return (
    <g
      class={`relation-node ${isMiddle ? 'middle' : ''}`}
      data-pattern={id}
      role="link"
      tabIndex={0}
      aria-label={`${id} ${name}`}
      onClick={open}
      onKeyDown={(event) => {
        if (event.key === 'Enter') open();
      }}
      onMouseEnter={() => onNear(true)}
      onMouseLeave={() => onNear(false)}
      onFocus={() => onNear(true)}
      onBlur={() => onNear(false)}
    >
      <title>{name}</title>
      <circle cx={x * RADIUS} cy={y * RADIUS} r={isMiddle ? 9 : 5} />
      <text x={x * RADIUS * OUT} y={y * RADIUS * OUT + (isMiddle ? -14 : 4)} text-anchor={anchor(x)}>
        {id}
      </text>
    </g>
  );
}

function anchor(x: number): 'start' | 'middle' | 'end' {
  if (Math.abs(x) < 0.15) return 'middle';
  return x > 0 ? 'start' : 'end';
}

/** Bent towards the middle, so that two lines that lie near each other can be told apart. */
function curve(from: Spot | undefined, to: Spot | undefined): string {
  if (from === undefined || to === undefined) return '';
  const at = ({ x, y }: Spot) => `${(x * RADIUS).toFixed(1)} ${(y * RADIUS).toFixed(1)}`;
  const bend = `${(((from.x + to.x) * RADIUS) / 4).toFixed(1)} ${(((from.y + to.y) * RADIUS) / 4).toFixed(1)}`;
  return `M${at(from)}Q${bend} ${at(to)}`;
}
