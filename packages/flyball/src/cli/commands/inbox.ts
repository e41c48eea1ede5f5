import type { Command } from 'commander';
import type { ApprovalRequest } from '../../core/approval.js';
import { type PersonRequest, requestsIn } from '../../people/requests.js';
import type { RunStatus } from '../../ports/engine.js';
import { withoutPrivate } from '../../views/without-private.js';
import { sentence, shorten } from '../amounts.js';
import { commandsFor } from '../answers.js';
import { type Call, type CommonOptions, newCommand, type Perform } from '../command.js';
import type { CommandLine } from '../command-line.js';
import { isThere, whatIsMissing } from '../database.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { groundsOf } from '../grounds.js';
import { printable } from '../printable.js';
import type { Screen } from '../screen.js';
import { openWorkplace, type Workplace } from '../workplace.js';

interface Options extends CommonOptions {
  readonly all?: boolean;
}

const ABOUT =
  'List open requests to people from all runs, oldest first: approvals, questions and doubts, with risk, deadline and reason.';

export function inboxCommand(perform: Perform): Command {
  return newCommand('inbox', ABOUT, ['flyball inbox', "flyball inbox --json | jq '.requests[].about'"])
    .option('--all', 'also list resolved requests, and who resolved them')
    .action((options: Options) => perform(options, {}, (call) => list(call, options)));
}

async function list({ screen, place }: Call, { all = false }: Options): Promise<ExitCode> {
  if (!(await isThere(place))) {
    screen.data({ requests: [] });
    screen.line(`No open requests: ${whatIsMissing(place)}.`);
    return EXIT.ok;
  }
  const workplace = await openWorkplace(place);
  try {
    const requests = await requestsOf(workplace, place.command, all);
    screen.data({ requests: requests.map(({ request }) => ({ ...request, overdue: isOverdue(request) })) });
    if (requests.length === 0) screen.line(all ? 'No requests.' : 'No open requests.');
    for (const listed of requests) for (const line of linesFor(listed, { screen, place })) screen.line(line);
    return EXIT.ok;
  } finally {
    await workplace.close();
  }
}

/** Those that have ended ask nobody anything any more. */
const MAY_WAIT: readonly RunStatus[] = ['suspended', 'running', 'paused', 'pending', 'stalled', 'bounded'];

/** A request, and the commands that answer it. An approval is given after a look at the run. */
interface Listed {
  readonly request: PersonRequest;
  readonly answers: readonly string[];
}

async function requestsOf({ desk }: Workplace, command: CommandLine, all: boolean): Promise<readonly Listed[]> {
  const requests: Listed[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await desk.list({ limit: 100, ...(cursor === undefined ? {} : { cursor }) });
    for (const { id, status } of page.runs) {
      if (!all && !MAY_WAIT.includes(status)) continue;
      const entries = withoutPrivate(await desk.entries(id));
      const found = requestsIn(id, entries);
      const waiting = found.filter(({ status: now }) => now === 'open');
      const isAnswered = (request: PersonRequest) => request.kind !== 'approval' && waiting.includes(request);
      for (const request of all ? found : waiting)
        requests.push({
          request,
          answers: isAnswered(request) ? commandsFor(request, { runId: id, waiting, entries, command }) : [],
        });
    }
    cursor = page.cursor;
    if (cursor === undefined) return requests.sort((a, b) => (a.request.id < b.request.id ? -1 : 1));
  }
}

function isOverdue({ status, due }: PersonRequest): boolean {
  return status === 'open' && due !== undefined && due <= Date.now();
}

function linesFor({ request, answers }: Listed, { screen, place }: Pick<Call, 'screen' | 'place'>): readonly string[] {
  const { run, effect, about, kind, risk, why } = request;
  const { paint, width } = screen;
  const what = { approval: 'approve', question: 'answer', doubt: 'say whether it happened:' }[kind];
  const risky = risk === undefined ? '' : `  risk ${risk}`;
  return [
    `${paint('bold', run)} ${printable(effect)}  ${what} ${paint('bold', shorten(about, 40))}${risky}${deadline(request, paint)}${decided(request)}`,
    ...(why === undefined ? [] : [`    ${sentence(why)}`]),
    ...(request.status === 'open' ? groundsOf(request.request).map((line) => `    ${shorten(line, width - 6)}`) : []),
    ...(request.status === 'open' ? [`    ${paint('cyan', place.command('show', run))}`] : []),
    ...answers.map((command) => `    ${paint('cyan', command)}`),
    ...(request.status === 'open' && hasMoreSources(request)
      ? [`    ${paint('cyan', place.command('export', run, '--format', 'entries'))}`]
      : []),
  ];
}

function hasMoreSources({ request }: PersonRequest): boolean {
  return ((request ?? {}) as Partial<ApprovalRequest>).provenance?.sourcesLeftOut !== undefined;
}

function deadline(request: PersonRequest, paint: Screen['paint']): string {
  if (request.due === undefined || request.status !== 'open') return '';
  const until = new Date(request.due).toISOString();
  return isOverdue(request) ? `  ${paint('red', `overdue since ${until}`)}` : `  until ${until}`;
}

function decided({ status, decision }: PersonRequest): string {
  switch (status) {
    case 'open':
      return '';
    case 'decided': {
      const reason = decision?.reason === undefined ? '' : `: ${shorten(decision.reason, 60)}`;
      return printable(`  ${decision?.verdict ?? 'answered'} by ${decision?.by ?? 'somebody'}${reason}`);
    }
    default:
      return `  ${status}`;
  }
}
