import { CLEAN_RETRIEVAL } from '../metrics/research-questions.js';
import type { Summary } from '../metrics/summary.js';
import { type CostPoint, costPoints } from './cost-figure.js';
import { escaped } from './escape.js';

const WIDTH = 720;
const HEIGHT = 400;
const EDGE = { left: 64, right: 24, top: 20, bottom: 56 } as const;

/** A shape for each agent, so that the plot reads without color. */
const SHAPES = ['circle', 'square', 'triangle', 'diamond', 'cross'] as const;
type Shape = (typeof SHAPES)[number];

/** pass^1 over cost per task on a logarithmic scale; filled marks for golden retrieval, hollow ones for the others. */
export function costPlot(summaries: readonly Summary[]): string | undefined {
  const points = costPoints(summaries);
  if (points.length === 0) return undefined;
  const scale = scaleOf(points);
  const agents = [...new Set(points.map(({ summary }) => summary.agent))].sort();
  const models = [...new Set(points.map(({ summary }) => summary.model))];
  const height = HEIGHT + 24 + 18 * Math.ceil(models.length / MODELS_A_ROW);
  const shapeOf = (agent: string): Shape => SHAPES[agents.indexOf(agent) % SHAPES.length] ?? 'circle';
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="pass^1 over cost per task" class="plot">`,
    `<style>${PLOT_STYLE}</style>`,
    ...gridOf(scale),
    ...points.map((point) => markOf(point, scale, shapeOf(point.summary.agent), agents.indexOf(point.summary.agent))),
    ...numbersOf(points, models, scale),
    ...legendOf(agents, shapeOf),
    ...modelLegend(models),
    '</svg>',
  ].join('\n');
}

interface Scale {
  readonly lowDecade: number;
  readonly highDecade: number;
  readonly top: number;
  x(cost: number): number;
  y(pass: number): number;
}

function scaleOf(points: readonly CostPoint[]): Scale {
  const logs = points.map(({ cost }) => Math.log10(cost));
  const lowDecade = Math.floor(Math.min(...logs));
  const highDecade = Math.max(Math.ceil(Math.max(...logs)), lowDecade + 1);
  const top = Math.min(1, Math.max(0.1, Math.ceil(Math.max(...points.map(({ pass1 }) => pass1)) * 10) / 10));
  const width = WIDTH - EDGE.left - EDGE.right;
  const height = HEIGHT - EDGE.top - EDGE.bottom;
  return {
    lowDecade,
    highDecade,
    top,
    x: (cost) => EDGE.left + ((Math.log10(cost) - lowDecade) / (highDecade - lowDecade)) * width,
    y: (pass) => EDGE.top + (1 - pass / top) * height,
  };
}

function gridOf({ lowDecade, highDecade, top, x, y }: Scale): readonly string[] {
  const right = WIDTH - EDGE.right;
  const bottom = HEIGHT - EDGE.bottom;
  const decades = Array.from({ length: highDecade - lowDecade + 1 }, (_, index) => 10 ** (lowDecade + index));
  const steps = Array.from({ length: 6 }, (_, index) => (top * index) / 5);
  return [
    ...decades.map(
      (cost) =>
        `<path class="grid" d="M${round(x(cost))} ${EDGE.top}V${bottom}"/><text x="${round(x(cost))}" y="${bottom + 18}" text-anchor="middle">$${Number(cost.toPrecision(1))}</text>`,
    ),
    ...steps.map(
      (pass) =>
        `<path class="grid" d="M${EDGE.left} ${round(y(pass))}H${right}"/><text x="${EDGE.left - 8}" y="${round(y(pass)) + 4}" text-anchor="end">${pass.toFixed(2)}</text>`,
    ),
    `<text x="${(EDGE.left + right) / 2}" y="${bottom + 40}" text-anchor="middle">cost per task (USD, logarithmic)</text>`,
    `<text transform="translate(16 ${(EDGE.top + bottom) / 2}) rotate(-90)" text-anchor="middle">pass^1</text>`,
  ];
}

function markOf({ cost, pass1, summary }: CostPoint, scale: Scale, shape: Shape, color: number): string {
  const filled = CLEAN_RETRIEVAL.has(summary.retrieval);
  const title = `${summary.label}: pass^1 ${pass1.toFixed(3)}, $${cost.toFixed(4)} per task`;
  return `<path class="mark c${color % SHAPES.length}${filled ? ' filled' : ''}" transform="translate(${round(scale.x(cost))} ${round(scale.y(pass1))})" d="${PATHS[shape]}"><title>${escaped(title)}</title></path>`;
}

/** The number of its model beside each mark; where two would lie on each other, the later one moves on. */
function numbersOf(points: readonly CostPoint[], models: readonly string[], scale: Scale): readonly string[] {
  const placed: { readonly x: number; readonly y: number }[] = [];
  return points.map(({ cost, pass1, summary }) => {
    const y = round(scale.y(pass1) + 4);
    let x = round(scale.x(cost) + 9);
    while (placed.some((one) => Math.abs(one.x - x) < 8 && Math.abs(one.y - y) < 10)) x += 8;
    placed.push({ x, y });
    return `<text class="name" x="${x}" y="${y}">${models.indexOf(summary.model) + 1}</text>`;
  });
}

/** Which number stands for which model, in rows below the legend of agents. */
function modelLegend(models: readonly string[]): readonly string[] {
  return models.map((model, index) => {
    const [column, row] = [index % MODELS_A_ROW, Math.floor(index / MODELS_A_ROW)];
    const [x, y] = [EDGE.left - 6 + column * 220, HEIGHT + 32 + row * 18];
    return `<text x="${x}" y="${y}"><tspan class="name">${index + 1}</tspan> ${escaped(model)}</text>`;
  });
}

const MODELS_A_ROW = 3;

/** In the figure itself, so that it looks the same in a file of its own; a page sets the colors for dark screens. */
const PLOT_STYLE = `.plot text{font:12px system-ui,sans-serif;fill:var(--soft,#5b6677)}.plot .name{font-size:10px;font-weight:600}
.grid{stroke:var(--line,#dde2ea);fill:none}.mark{stroke-width:2;fill:none}
${['#2f6fde', '#0f8a5f', '#c2571a', '#8746c9', '#b02a4c']
  .map((color, at) => `.c${at}{stroke:var(--c${at},${color})}.c${at}.filled{fill:var(--c${at},${color})}`)
  .join('')}`;

const PATHS: Readonly<Record<Shape, string>> = {
  circle: 'M-6 0A6 6 0 1 0 6 0A6 6 0 1 0 -6 0Z',
  square: 'M-5.5 -5.5H5.5V5.5H-5.5Z',
  triangle: 'M0 -7L6.5 5H-6.5Z',
  diamond: 'M0 -7L7 0L0 7L-7 0Z',
  cross: 'M-6 -2H-2V-6H2V-2H6V2H2V6H-2V2H-6Z',
};

function legendOf(agents: readonly string[], shapeOf: (agent: string) => Shape): readonly string[] {
  return agents.map((agent, index) => {
    const left = EDGE.left + index * 128;
    return `<g transform="translate(${left} ${HEIGHT + 8})"><path class="mark filled c${index % SHAPES.length}" d="${PATHS[shapeOf(agent)]}"/><text x="12" y="4">${escaped(agent)}</text></g>`;
  });
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
