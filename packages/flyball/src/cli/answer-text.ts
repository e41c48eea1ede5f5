import { dryReportText, isDryReport } from './dry-report.js';
import { printableLines } from './printable.js';

/** The value of an outcome as a person wants to read it. What an agent with a definition ends with holds much beside its answer. */
export function answerText(value: unknown): string {
  if (isDryReport(value)) return printableLines(dryReportText(value));
  if (!isLoopResult(value)) return printableLines(textOf(value));
  const { output, rawText } = value;
  if (output === undefined) return printableLines(rawText);
  const fields = typeof output === 'object' && output !== null ? Object.values(output) : [output];
  return printableLines(fields.length === 1 ? textOf(fields[0]) : textOf(output));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
}

function isLoopResult(value: unknown): value is { readonly output?: unknown; readonly rawText: string } {
  const { rawText, termination } = (value ?? {}) as { readonly rawText?: unknown; readonly termination?: unknown };
  return typeof rawText === 'string' && typeof termination === 'string';
}
