import type { DryAct, DryRunReport } from '../agents/workflows/invoked.js';
import { unreachable } from '../core/errors.js';
import { duration } from './amounts.js';
import { printable } from './printable.js';

/** What a workflow would do, act by act, for a person. */
export function dryReportText({ workflow, acts, problems, end }: DryRunReport): string {
  return [
    acts.length === 0 ? `${workflow} would do nothing.` : `${workflow} would:`,
    ...actLines(acts),
    ...(problems.length === 0
      ? []
      : ['Problems found before any cost:', ...problems.map((problem) => `  ✗ ${printable(problem)}`)]),
    endLine(end),
  ].join('\n');
}

export function isDryReport(value: unknown): value is DryRunReport {
  const { workflow, acts, problems, end } = Object(value) as Partial<Record<keyof DryRunReport, unknown>>;
  return typeof workflow === 'string' && Array.isArray(acts) && Array.isArray(problems) && typeof end === 'object';
}

function actLines(acts: readonly DryAct[], indent = '  '): readonly string[] {
  return acts.flatMap((act, at) => [
    `${indent}${at + 1}. ${printable(actText(act))}`,
    ...(act.kind === 'agent' && act.inside !== undefined ? actLines(act.inside.acts, `${indent}   `) : []),
  ]);
}

function actText(act: DryAct): string {
  switch (act.kind) {
    case 'agent':
      return `invoke ${act.agent} (${act.mode}) with ${json(act.inputs)}${within(act.slice)}`;
    case 'model':
      return `ask the model as ${act.name}: ${json(act.input)}`;
    case 'tool':
      return `call ${act.name} with ${json(act.input)}`;
    case 'step':
      return `make the step ${act.name} with ${json(act.input)}`;
    case 'spawn':
      return `spawn ${act.name} with ${json(act.input)}`;
    case 'wait':
      return `wait for ${act.name}; the dry run assumes a timeout`;
    case 'sleep':
      return `sleep ${duration(act.ms)}`;
    case 'continue':
      return 'continue in a new generation';
    default:
      return unreachable(act);
  }
}

function within({ share, ...limits }: Extract<DryAct, { readonly kind: 'agent' }>['slice']): string {
  const bounds = Object.entries(limits).map(([axis, limit]) => `${axis} ${limit}`);
  if (share !== undefined) bounds.push(`${Math.round(share * 100)} % of what is left of the budget`);
  return bounds.length === 0 ? '' : `, within ${bounds.join(', ')}`;
}

function endLine({ stop, because }: DryRunReport['end']): string {
  const why = because === undefined ? '' : `: ${printable(because)}`;
  return stop === 'not-simulated'
    ? `The dry run cannot continue past this point${why}`
    : `Then it would end: ${stop}${why}`;
}

function json(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing';
}
