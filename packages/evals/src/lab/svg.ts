/** A curve with its law and what was measured at some places. */
export interface Plot {
  readonly title: string;
  readonly x: string;
  readonly y: string;
  readonly condition: string;
  readonly lines: readonly {
    readonly name: string;
    readonly points: readonly Place[];
    readonly measured?: readonly Place[];
  }[];
}

export interface Place {
  readonly x: number;
  readonly y: number;
}

const [WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM] = [640, 400, 60, 40, 170, 80];
const COLORS = ['#2563eb', '#dc2626', '#059669', '#d97706'];
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Draws it. Axes begin at the smallest and end at the largest value; shares go from 0 to 1. */
export function plotSvg({ title, x, y, condition, lines }: Plot): string {
  const all = lines.flatMap(({ points, measured = [] }) => [...points, ...measured]);
  const [from, to] = [Math.min(...all.map((place) => place.x)), Math.max(...all.map((place) => place.x))];
  const most = Math.max(1, ...all.map((place) => place.y));
  const across = (value: number): number => LEFT + ((value - from) / (to - from || 1)) * (WIDTH - LEFT - RIGHT);
  const up = (value: number): number => HEIGHT - BOTTOM - (value / most) * (HEIGHT - TOP - BOTTOM);
  const text = (at: Place, words: string, more = ''): string =>
    `<text x="${at.x.toFixed(1)}" y="${at.y.toFixed(1)}" ${more}>${escaped(words)}</text>`;
  const ticks = Array.from({ length: 6 }, (_none, n) => n / 5);
  const drawn = lines.flatMap(({ name, points, measured = [] }, n) => {
    const color = COLORS[n % COLORS.length];
    const path = points
      .map((place, at) => `${at === 0 ? 'M' : 'L'}${across(place.x).toFixed(1)} ${up(place.y).toFixed(1)}`)
      .join(' ');
    return [
      `<path d="${path}" fill="none" stroke="${color}" stroke-width="2"/>`,
      ...measured.map(
        (place) => `<circle cx="${across(place.x).toFixed(1)}" cy="${up(place.y).toFixed(1)}" r="4" fill="${color}"/>`,
      ),
      text({ x: WIDTH - RIGHT + 12, y: TOP + 14 + 18 * n }, name, `fill="${color}"`),
    ];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="12">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="white"/>`,
    text({ x: LEFT, y: 22 }, title, 'font-size="15" font-weight="600"'),
    `<path d="M${LEFT} ${TOP} V${HEIGHT - BOTTOM} H${WIDTH - RIGHT}" fill="none" stroke="#555"/>`,
    ...ticks.map((share) =>
      text({ x: LEFT - 8, y: up(share * most) + 4 }, (share * most).toFixed(1), 'text-anchor="end"'),
    ),
    ...ticks.map((share) =>
      text(
        { x: across(from + share * (to - from)), y: HEIGHT - BOTTOM + 18 },
        (from + share * (to - from)).toFixed(1),
        'text-anchor="middle"',
      ),
    ),
    text({ x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - BOTTOM + 38 }, x, 'text-anchor="middle"'),
    text({ x: 14, y: TOP - 8 }, y),
    ...drawn,
    text({ x: WIDTH - RIGHT + 12, y: TOP + 14 + 18 * lines.length }, 'lines: expected'),
    text({ x: WIDTH - RIGHT + 12, y: TOP + 32 + 18 * lines.length }, 'dots: measured'),
    text({ x: 14, y: HEIGHT - 12 }, condition, 'font-size="9" fill="#555"'),
    '</svg>',
    '',
  ].join('\n');
}
