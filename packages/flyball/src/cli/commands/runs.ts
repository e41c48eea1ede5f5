import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import type { RunFilter, RunRecord, RunStatus } from '../../ports/engine.js';
import { sentence } from '../amounts.js';
import { type Call, type CommonOptions, newCommand, type Perform } from '../command.js';
import { isThere, whatIsMissing } from '../database.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { printable } from '../printable.js';
import { liveOwner, openWorkplace } from '../workplace.js';

interface Options extends CommonOptions {
  readonly status?: RunStatus;
  readonly agent?: string;
  readonly tenant?: string;
  readonly limit: number;
  readonly cursor?: string;
}

const STATUSES: readonly RunStatus[] = [
  'pending',
  'running',
  'suspended',
  'paused',
  'stalled',
  'done',
  'degraded',
  'bounded',
  'blocked',
  'cancelled',
  'failed',
];

export function runsCommand(perform: Perform): Command {
  return newCommand('runs', 'List runs, newest first.', [
    'flyball runs',
    'flyball runs --status suspended --tenant acme',
    "flyball runs --json | jq -r '.runs[].id'",
  ])
    .option('--status <status>', `only runs that are ${STATUSES.join(', ')}`, statusOption)
    .option('--agent <name>', 'only runs of this agent')
    .option('--tenant <name>', 'only runs of this tenant')
    .option('--limit <count>', 'maximum number of runs', countOption, DEFAULT_LIMIT)
    .option('--cursor <cursor>', 'cursor from the previous page')
    .action((options: Options) => perform(options, {}, (call) => list(call, options)));
}

async function list({ screen, place }: Call, options: Options): Promise<ExitCode> {
  if (!(await isThere(place))) {
    screen.data({ runs: [] });
    screen.line(`No runs yet: ${whatIsMissing(place)}. To start one, run: flyball run <file> --input <json>`);
    return EXIT.ok;
  }
  const workplace = await openWorkplace(place);
  try {
    const { status, agent, tenant, limit, cursor } = options;
    const filter: RunFilter = {
      limit,
      ...(status === undefined ? {} : { status }),
      ...(agent === undefined ? {} : { agent }),
      ...(tenant === undefined ? {} : { tenant }),
      ...(cursor === undefined ? {} : { cursor }),
    };
    const page = await workplace.desk.list(filter);
    screen.data(page);
    if (page.runs.length === 0) screen.line('No matching runs.');
    for (const line of table(page.runs)) screen.line(screen.live ? cutRow(line, screen.width) : line);
    if (page.cursor !== undefined)
      screen.line(`More: ${place.command('runs', ...givenAgain(options), '--cursor', page.cursor)}`);
    return EXIT.ok;
  } finally {
    await workplace.close();
  }
}

const DEFAULT_LIMIT = 50;

/** What the next page needs to be the next page of the same list. */
function givenAgain({ status, agent, tenant, limit }: Options): readonly string[] {
  return [
    ...(status === undefined ? [] : ['--status', status]),
    ...(agent === undefined ? [] : ['--agent', agent]),
    ...(tenant === undefined ? [] : ['--tenant', tenant]),
    ...(limit === DEFAULT_LIMIT ? [] : ['--limit', String(limit)]),
  ];
}

function table(runs: readonly RunRecord[]): readonly string[] {
  const rows = runs.map((run) =>
    [run.id, run.status, `${run.agent} v${run.version}`, when(run.updatedAt), remark(run)].map(printable),
  );
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map(([...cells]) => {
    const line = cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
    return line.trimEnd();
  });
}

/** Cuts a row without touching its columns. Only for a terminal: a program that reads a pipe gets all of it. */
function cutRow(line: string, width: number): string {
  return line.length <= width ? line : `${line.slice(0, width - 1)}…`;
}

function remark(run: RunRecord): string {
  if (run.status === 'suspended') {
    const wakes = run.wakeAt === undefined ? [] : [`wakes ${when(run.wakeAt)}`];
    return [...run.waiting.map((name) => `waits for ${name}`), ...wakes].join(', ');
  }
  if (run.status === 'stalled') return sentence(run.attention ?? '');
  if (run.status === 'running') {
    const owner = liveOwner(run);
    if (owner !== undefined) return `process ${owner.pid}`;
    return `its process is gone; ${run.source === undefined ? 'start its program again' : 'resume it'}`;
  }
  return '';
}

function when(at: number): string {
  return new Date(at).toISOString().replace('T', ' ').slice(0, 19);
}

function statusOption(given: string): RunStatus {
  const status = STATUSES.find((known) => known === given);
  if (status === undefined) throw new InvalidArgumentError(`It must be one of ${STATUSES.join(', ')}.`);
  return status;
}

function countOption(given: string): number {
  const count = Number(given);
  if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError('It must be a whole number of at least 1.');
  return count;
}
