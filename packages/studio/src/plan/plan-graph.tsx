import { useRef } from 'preact/hooks';
import { type Layout, layered, type Placed } from './layout.js';
import type { PlanEdge, PlanView, StepView } from './plan-view.js';
import { STATE_SIGNS } from './step-state.js';

const SIZE = { width: 196, height: 62, gapX: 22, gapY: 38 };
const EDGE = 10;
const NARROW = { graph: 26, tools: 30 };

/** The plan as a graph: arrows lead to what waits for a step. Arrow keys move between the steps. */
export function PlanGraph({
  plan,
  chosen,
  onPick,
}: {
  readonly plan: PlanView;
  readonly chosen: string | undefined;
  readonly onPick: (id: string) => void;
}) {
  const svg = useRef<SVGSVGElement>(null);
  const ids = plan.steps.map(({ id }) => id);
  const layout = layered(ids, plan.edges, SIZE);
  const [width, height] = [layout.width + 2 * EDGE, layout.height + 2 * EDGE];
  const move = (event: KeyboardEvent, from: string) => {
    const to = neighbor(layout, from, event.key);
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation(); // the page's own arrow keys move the slider
    onPick(to);
    svg.current?.querySelector<SVGGElement>(`[data-step="${CSS.escape(to)}"]`)?.focus();
  };
  return (
    <figure class="graph-box" aria-label={`Graph of the plan: ${plan.goal}`}>
      <svg ref={svg} class="graph" width={width} height={height} viewBox={`${-EDGE} ${-EDGE} ${width} ${height}`}>
        <title>{`Plan steps and their dependencies: ${plan.goal}`}</title>
        <defs>
          <marker
            id="arrow"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            orient="auto-start-reverse"
          >
            <path d="M0 0 8 4 0 8z" class="arrow" />
          </marker>
        </defs>
        {plan.edges.map((edge) => (
          <Edge key={`${edge.kind} ${edge.from} ${edge.to}`} edge={edge} layout={layout} />
        ))}
        {plan.steps.map((step) => (
          <Node
            key={step.id}
            step={step}
            at={layout.nodes.get(step.id)}
            isChosen={step.id === chosen}
            onPick={() => onPick(step.id)}
            onKey={(event) => move(event, step.id)}
          />
        ))}
      </svg>
    </figure>
  );
}

function Node({
  step,
  at,
  isChosen,
  onPick,
  onKey,
}: {
  readonly step: StepView;
  readonly at: Placed | undefined;
  readonly isChosen: boolean;
  readonly onPick: () => void;
  readonly onKey: (event: KeyboardEvent) => void;
}) {
  if (at === undefined) return null;
  const { id, state, description, required } = step;
  const met = required.filter(({ satisfiedBy }) => satisfiedBy.length > 0).length;
  const tools = required.map(({ tool, satisfiedBy }) => `${satisfiedBy.length > 0 ? '✓' : '○'} ${tool}`).join('  ');
  return (
    <g
      class={`node state-${state} ${isChosen ? 'chosen' : ''}`}
      transform={`translate(${at.x} ${at.y})`}
      data-step={id}
      data-state={state}
      role="button"
      tabIndex={isChosen ? 0 : -1}
      aria-pressed={isChosen}
      aria-label={`Step ${id}, ${state}${required.length === 0 ? '' : `, ${met} of ${required.length} required tools called`}: ${description}`}
      onClick={onPick}
      onFocus={onPick}
      onKeyDown={(event) => {
        if (event.key === 'Enter' || event.key === ' ') {
          event.preventDefault();
          event.stopPropagation();
          onPick();
        } else onKey(event);
      }}
    >
      <title>{description}</title>
      <rect width={SIZE.width} height={SIZE.height} rx="6" class="node-box" />
      <text x="12" y="22" class="node-sign">
        {STATE_SIGNS[state]}
      </text>
      <text x="30" y="22" class="node-name">
        {short(id, NARROW.graph - state.length)}
      </text>
      <text x={SIZE.width - 10} y="22" class="node-state">
        {state}
      </text>
      <text x="12" y="39" class="node-about">
        {short(description, NARROW.tools)}
      </text>
      <text x="12" y="54" class="node-tools">
        {short(tools === '' ? 'no tool required' : tools, NARROW.tools)}
      </text>
    </g>
  );
}

function Edge({ edge, layout }: { readonly edge: PlanEdge; readonly layout: Layout }) {
  const [from, to] = [layout.nodes.get(edge.from), layout.nodes.get(edge.to)];
  if (from === undefined || to === undefined) return null;
  const [x1, y1] = [from.x + SIZE.width / 2, from.y + SIZE.height];
  const [x2, y2] = [to.x + SIZE.width / 2, to.y - 2];
  const bend = Math.max(16, (y2 - y1) / 2);
  const side = SIDES[edge.kind];
  return (
    <g>
      <title>{edge.label ?? `${edge.to} ${edge.kind === 'needs' ? 'needs' : 'comes after'} ${edge.from}`}</title>
      <path
        class={`edge edge-${edge.kind}`}
        d={`M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`}
        marker-end="url(#arrow)"
      />
      {side === undefined ? null : (
        <text class="edge-word" x={x2 + 6} y={y2 - 10}>
          {side}
        </text>
      )}
    </g>
  );
}

const SIDES: Readonly<Partial<Record<PlanEdge['kind'], string>>> = { if: 'if so', 'if-not': 'if not' };

/** The nearest step in the row above or below, or the next one in the same row. */
export function neighbor({ nodes }: Layout, from: string, key: string): string | undefined {
  const at = nodes.get(from);
  if (at === undefined) return undefined;
  const rows = [...nodes.values()];
  const nearest = (candidates: readonly Placed[]) =>
    candidates.toSorted((a, b) => Math.abs(a.x - at.x) - Math.abs(b.x - at.x))[0]?.id;
  switch (key) {
    case 'ArrowDown':
      return nearest(rows.filter(({ layer }) => layer === at.layer + 1));
    case 'ArrowUp':
      return nearest(rows.filter(({ layer }) => layer === at.layer - 1));
    case 'ArrowRight':
      return nearest(rows.filter(({ layer, x }) => layer === at.layer && x > at.x));
    case 'ArrowLeft':
      return nearest(rows.filter(({ layer, x }) => layer === at.layer && x < at.x));
    default:
      return undefined;
  }
}

function short(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, Math.max(1, most - 1)).replace(/[\ud800-\udbff]$/, '')}…` : text;
}
