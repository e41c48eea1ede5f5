import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { FlyballError } from '../../core/errors.js';
import type { Entry } from '../../core/events.js';
import { inertJson } from '../../core/inert-json.js';
import { auditLines, auditLinesOfRemoved, verifyAudit } from '../../views/audit.js';
import { checkpointOf } from '../../views/checkpoint.js';
import { costBy } from '../../views/cost.js';
import { failuresOf } from '../../views/failures.js';
import { loopTraceOf } from '../../views/loop-trace.js';
import { metricsOf } from '../../views/metrics.js';
import { observationsOf } from '../../views/observations.js';
import { provenanceOf } from '../../views/provenance.js';
import { traceOf } from '../../views/trace.js';
import { withoutPrivate } from '../../views/without-private.js';
import { type Call, type CommonOptions, newCommand, type Perform } from '../command.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { openExisting, type Workplace } from '../workplace.js';

/** Lines of JSON, or one document; each a view folded from the same entries, from which all that is private is gone. */
const FORMATS = {
  audit: (runId, entries) => auditLines(runId, entries),
  entries: (_runId, entries) => entries.map((entry) => JSON.stringify(entry)),
  metrics: (runId, entries) => metricsOf(runId, entries).map((metric) => JSON.stringify(metric)),
  observations: (runId, entries) =>
    observationsOf(entries, { runId }).map((observation) => JSON.stringify(observation)),
  failures: (_runId, entries) => failuresOf(entries).map((failure) => JSON.stringify(failure)),
  loops: (_runId, entries) => document(loopTraceOf(entries)),
  trace: (runId, entries) => document(traceOf(runId, entries)),
  checkpoint: (runId, entries) => document(checkpointOf(runId, entries)),
  provenance: (runId, entries) => document(provenanceOf(runId, entries)),
  cost: (_runId, entries) => document(costBy(entries)),
} satisfies Readonly<Record<string, (runId: string, entries: readonly Entry[]) => readonly string[]>>;
type Format = keyof typeof FORMATS;

interface Options extends CommonOptions {
  readonly format: Format;
  readonly out?: string;
}

const ABOUT =
  'Export a run as JSON. audit: every entry, hash-chained, for flyball verify. ' +
  'entries, metrics, observations, failures: JSON lines. trace, loops, checkpoint, provenance, cost: one document. ' +
  'Private values are blanked in all formats.';

export function exportCommand(perform: Perform): Command {
  return newCommand('export <run>', ABOUT, [
    'flyball export run_1f0c --format audit --out run_1f0c.audit.jsonl',
    'flyball export run_1f0c --format cost',
    "flyball export run_1f0c --format entries | jq -r '.event.type'",
  ])
    .addOption(new Option('--format <format>', 'output format').choices(Object.keys(FORMATS)).default('audit'))
    .option('--out <file>', 'write to this file instead of standard output')
    .action((runId: string, options: Options) =>
      perform(options, { runId }, (call) => exportRun(call, { runId, options })),
    );
}

async function exportRun(
  { screen, place }: Call,
  { runId, options }: { readonly runId: string; readonly options: Options },
): Promise<ExitCode> {
  const workplace = await openExisting(place, runId);
  try {
    const lines = await linesOf(workplace, runId, options.format);
    if (options.out === undefined) {
      process.stdout.write(`${lines.join('\n')}\n`); // JSON already, with or without --json
      return EXIT.ok;
    }
    writeWhole(options.out, `${lines.join('\n')}\n`);
    const head = options.format === 'audit' ? headOf(lines) : undefined;
    screen.data({
      run: runId,
      format: options.format,
      file: options.out,
      lines: lines.length,
      ...(head === undefined ? {} : { head }),
    });
    screen.line(`Wrote ${options.out} (${options.format} of ${runId}).`);
    if (head !== undefined)
      screen.line(`Head ${head}: keep it elsewhere, then check with flyball verify ${options.out} --head ${head}`);
    return EXIT.ok;
  } finally {
    await workplace.close();
  }
}

/** Of a run that was removed, its audit is left: the chain without what was said. */
async function linesOf({ desk, engine }: Workplace, runId: string, format: Format): Promise<readonly string[]> {
  const isHere = (await engine.get(runId)) !== undefined; // it may have been restored since
  const operations = isHere ? [] : await engine.operations(runId);
  const removal = operations.findLast(({ tombstone }) => tombstone !== undefined);
  if (removal?.tombstone === undefined)
    return FORMATS[format](runId, withoutPrivate(await desk.entries(runId))).map(inertJson);
  const { action, at, by, tombstone } = removal;
  if (format === 'audit') return auditLinesOfRemoved(runId, tombstone.digests, { action, at, by });
  throw new FlyballError(
    'RUN_NOT_FOUND',
    `Run ${runId} was removed by ${by} on ${new Date(at).toISOString()} (${action}). Only its audit can still be exported: --format audit`,
    { detail: { runId } },
  );
}

function document(value: unknown): readonly string[] {
  return JSON.stringify(value, null, 2).split('\n');
}

function headOf(lines: readonly string[]): string | undefined {
  const verdict = verifyAudit(lines);
  return verdict.ok ? verdict.head : undefined;
}

/** A reader never meets half an export. */
function writeWhole(path: string, content: string): void {
  const aside = `${path}.${process.pid}.part`;
  try {
    writeFileSync(aside, content);
    renameSync(aside, path);
  } catch (error) {
    rmSync(aside, { force: true });
    const why = error instanceof Error ? error.message : String(error);
    throw new FlyballError('STORAGE_FAILED', `${path} cannot be written: ${why}. Choose another --out.`, {
      cause: error,
    });
  }
}
