import type { Command } from 'commander';
import { nodeHost } from '../../adapters/host-node/node-host.js';
import { agentFamilies, type WaitingLine, type WorkingProcess, workState } from '../../operation/work-state.js';
import { duration, plural, shorten } from '../amounts.js';
import { type Call, type CommonOptions, newCommand, type Perform } from '../command.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { printable } from '../printable.js';
import { openDatabaseThere } from '../workplace.js';

const ABOUT =
  'List the processes that work on runs, with their agents and versions, the runs they hold, and how long their leases last. ' +
  'Also list the runs that wait in the queue, and since when.';

export function workersCommand(perform: Perform): Command {
  return newCommand('workers', ABOUT, [
    'flyball workers',
    'flyball workers --db postgres://user@host/name',
    "flyball workers --json | jq '.queue[] | select(.isServed | not)'",
  ]).action((options: CommonOptions) => perform(options, {}, list));
}

async function list({ screen, place }: Call): Promise<ExitCode> {
  const workplace = await openDatabaseThere(place);
  try {
    const now = Date.now();
    const { processes, queue } = await workState(workplace.engine, { now, isGone: nodeHost().isGone });
    const waiting = queue.reduce((sum, { runs }) => sum + runs, 0);
    screen.data({ kind: 'workers', workers: processes, queue, waiting });
    if (processes.length === 0) screen.line('No process works on runs. To start one, run: flyball serve <file>');
    for (const each of processes) {
      for (const line of linesOf(each, now)) screen.line(printable(line));
      if (each.state === 'silent')
        screen.line(printable(`  if it is gone: ${place.command('owner', 'gone', each.owner.id)}`));
    }
    screen.line(waiting === 0 ? 'The queue is empty.' : `${plural(waiting, 'run')} in the queue:`);
    for (const line of queue) screen.line(printable(`  ${waitingText(line, now)}`));
    return EXIT.ok;
  } finally {
    await workplace.close();
  }
}

const STATES = {
  working: 'working',
  draining: 'draining: takes no more runs',
  silent: 'runs a command or a program; takes no other runs',
  gone: 'gone: its runs are in the queue',
} as const;

function linesOf(process: WorkingProcess, now: number) {
  const { owner, state, silentSince, agents, since, weight, concurrency, held } = process;
  const about = [
    silentSince === undefined
      ? STATES[state]
      : `silent: its leases ended ${duration(Math.max(0, now - silentSince))} ago`,
    `${plural(held.length, 'run')}${concurrency === undefined ? '' : ` of ${concurrency}`}`,
    ...(weight === undefined || weight === 1 ? [] : [`weight ${weight}`]),
    ...(since === undefined ? [] : [`up ${duration(Math.max(0, now - since))}`]),
  ];
  const serves = agentFamilies(agents);
  const first = held.slice(0, 5).map(({ id, leaseUntil = 0 }) => `${id} (lease ${leaseText(leaseUntil - now)})`);
  return [
    `process ${owner.pid} on ${owner.host}  ${about.join(', ')}`,
    ...(serves.length === 0 ? [] : [`  agents: ${shorten(serves.join(', '), 300)}`]),
    ...(first.length === 0 ? [] : [`  holds: ${first.join(', ')}${held.length > 5 ? ', …' : ''}`]),
  ];
}

function leaseText(ms: number): string {
  return ms > 0 ? `ends in ${duration(ms)}` : 'over';
}

function waitingText({ tenant, agent, version, runs, since, isServed }: WaitingLine, now: number): string {
  const age = `the oldest for ${duration(Math.max(0, now - since))}`;
  return `${tenant}  ${agent} ${version}  ${plural(runs, 'run')}, ${age}${isServed ? '' : '; no process has this agent'}`;
}
