import { CONDITION } from './claim.js';
import type { Row } from './run-claims.js';

/** Everything that a page of the laboratory is made of. */
export interface LabReport {
  readonly condition: string;
  readonly items: number;
  readonly seed: number;
  readonly rows: readonly Row[];
}

export function reportOf(
  rows: readonly Row[],
  { items, seed }: { readonly items: number; readonly seed: number },
): LabReport {
  return { condition: CONDITION, items, seed, rows };
}

const three = (value: number): string => value.toFixed(3);
const two = (value: number): string => value.toFixed(2);
const signed = (value: number): string => `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(3)}`;
const chance = (p: number): string => (p < 0.001 ? '< 0.001' : p.toFixed(3));
const deviation = (z: number): string => (Number.isFinite(z) ? z.toFixed(1) : 'not equal');

/** The parameters of a row as people write them. */
export function parametersText(parameters: Row['parameters']): string {
  return Object.entries(parameters)
    .filter(([, value]) => typeof value !== 'object')
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}

const HEAD = [
  '| Claim | World, family | Parameters | Measured (95% interval) | Expected | z | Calls | Expected calls | Baseline | Expected | Gain (McNemar p) | Gain per extra call |',
  '| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |',
];

function line({ id, side, world, family, parameters, measured, baseline, paired }: Row): string {
  const { value, interval, expected, z, calls, expectedCalls } = measured;
  const cells = [
    `${id} (${side})`,
    `${world}, ${family}`,
    parametersText(parameters),
    `${three(value)} (${three(interval.low)} to ${three(interval.high)})`,
    three(expected),
    deviation(z),
    two(calls),
    two(expectedCalls),
    `${three(baseline.value)} in ${two(baseline.calls)} calls`,
    three(baseline.expected),
    `${signed(paired.gain)} (${chance(paired.p)})`,
    paired.gainPerExtraCall === undefined ? '' : signed(paired.gainPerExtraCall),
  ];
  return `| ${cells.join(' | ')} |`;
}

/** A table for people. The condition stands above it, wherever it is shown. */
export function reportMarkdown({ condition, items, seed, rows }: LabReport): string {
  const patterns = [...new Set(rows.map(({ pattern }) => pattern))];
  const failed = rows.filter(({ holds }) => !holds);
  const largest = Math.max(
    0,
    ...rows.flatMap(({ measured: { z, callsZ }, baseline }) => [z, callsZ, baseline.z].map(Math.abs)),
  );
  return [
    `*${condition}*`,
    '',
    `${rows.length} claims about ${patterns.length} patterns, ${items} items, seed ${seed}. The largest |z| is ${deviation(largest)}. ${failed.length === 0 ? 'All claims hold.' : `These do not hold: ${failed.map(({ id }) => id).join(', ')}.`}`,
    '',
    ...HEAD,
    ...rows.map(line),
    '',
    'What each claim says:',
    '',
    ...rows.map(({ id, says, formula }) => `- **${id}**: ${says} Expected: ${formula}.`),
    '',
  ].join('\n');
}
