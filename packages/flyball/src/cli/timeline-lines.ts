import type { TimelineLine } from '../views/timeline.js';
import { shorten } from './amounts.js';
import { printable } from './printable.js';
import type { Color, Screen } from './screen.js';

const COLORS: Readonly<Record<string, Color>> = {
  '✓': 'green',
  '✗': 'red',
  '!': 'yellow',
  '■': 'yellow',
  '…': 'cyan',
  '▶': 'bold',
  '·': 'dim',
};

/** One entry as a line: its number, for --at, the time since the start, and what happened. */
export function timelineText(line: TimelineLine, { paint, width }: Pick<Screen, 'paint' | 'width'>): string {
  const number = `${line.generation === 0 ? '' : `${line.generation}:`}${line.seq}`.padStart(5);
  const time = `+${(line.offsetMs / 1000).toFixed(3)}`.padStart(9);
  const indent = '  '.repeat(Math.min(line.depth, 8));
  const symbol = paint(COLORS[line.symbol] ?? 'cyan', line.symbol);
  const room = width - number.length - time.length - indent.length - line.text.length - 8;
  const detail = line.detail !== undefined && room >= 12 ? `  ${paint('dim', shorten(line.detail, room))}` : '';
  return `${paint('dim', number)} ${paint('dim', time)}  ${indent}${symbol} ${printable(line.text)}${detail}`;
}
