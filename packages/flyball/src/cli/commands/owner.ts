import { Command } from 'commander';
import { sightOf } from '../../adapters/host-node/node-host.js';
import { FlyballError } from '../../core/errors.js';
import type { Owner } from '../../core/events.js';
import { declareOwnerGone, isAwaited, type KnownOwner, knownOwners, type LeftEffect } from '../../operation/owners.js';
import { plural } from '../amounts.js';
import { type Call, type CommonOptions, newCommand, type Perform } from '../command.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { whoAmI } from '../place.js';
import { printable } from '../printable.js';
import { openDatabaseThere } from '../workplace.js';

const ABOUT = 'List the processes that own runs, or declare one gone if its state cannot be determined.';
const GONE =
  'Declare a process gone: its container was removed, or its machine is off. Its runs continue at once, and effects that it left open ' +
  'are handled like those of a dead process, also in runs that another process has taken over since. Only do this if it is true: ' +
  'a process that is still alive loses its runs, and what it is doing at that moment may happen twice. It then gets a new id, which the declaration does not cover.';

export function ownerCommand(perform: Perform): Command {
  const command = new Command('owner').summary('Manage the processes that own runs').description(ABOUT);
  command.helpCommand(false);
  command.addCommand(
    newCommand('list', 'List the processes that own runs: since when, until when, and whether they are alive.', [
      'flyball owner list',
    ]).action((options: CommonOptions) => perform(options, {}, list)),
  );
  command.addCommand(
    newCommand('gone <id>', GONE, [
      'flyball owner list                           shows the ids; give the whole id',
      'flyball owner gone node-3:1:31c5a92d',
      "flyball owner gone node-3:1:31c5a92d --reason 'node-3 was taken down'",
    ])
      .option('--reason <text>', 'why, for the operations log')
      .action((id: string, options: CommonOptions & { readonly reason?: string }) =>
        perform(options, {}, (call) => gone(call, id, options.reason)),
      ),
  );
  return command;
}

async function list({ screen, place }: Call): Promise<ExitCode> {
  const workplace = await openDatabaseThere(place);
  try {
    const declared = new Set(await workplace.engine.goneOwners());
    const { owners, unreadable } = await knownOwners(workplace.engine);
    const told = owners.map((known) => ({ ...known, state: stateOf(known.owner, declared) }));
    screen.data({
      owners: told.map(({ owner: { id, host, pid }, ...about }) => ({ id, host, pid, ...about })),
      unreadable,
    });
    if (told.length === 0) screen.line('No process owns a run or has left an effect open.');
    for (const each of told) screen.line(printable(lineOf(each)));
    if (unreadable.length > 0)
      screen.line(
        `Not checked for open effects, because their journals cannot be read: ${unreadable.join(', ')}. Details: ${place.command('check')}`,
      );
    return EXIT.ok;
  } finally {
    await workplace.close();
  }
}

type State = ReturnType<typeof sightOf> | 'declared gone';

function stateOf(owner: Owner, declared: ReadonlySet<string>): State {
  return declared.has(owner.id) ? 'declared gone' : sightOf(owner);
}

const STATES: Readonly<Record<State, string>> = {
  alive: 'alive',
  gone: 'gone',
  'declared gone': 'declared gone',
  unknown: 'not visible from here',
};

function lineOf({ owner, runs, since, leaseUntil, left, state }: KnownOwner & { readonly state: State }): string {
  const owns = [
    plural(runs.length, 'run'),
    ...(since === undefined ? [] : [`since ${timeOf(since)}`]),
    ...(leaseUntil === undefined ? [] : [leaseText(leaseUntil)]),
  ];
  const open = left.length === 0 ? '' : `  left open: ${left.map(({ name, run }) => `${name} in ${run}`).join(', ')}`;
  return `${owner.id}  process ${owner.pid} on ${owner.host}  ${STATES[state]}  ${owns.join(', ')}${open}`;
}

function leaseText(until: number): string {
  return until > Date.now() ? `lease until ${timeOf(until)}` : `lease ended ${timeOf(until)}`;
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}

async function gone({ screen, place }: Call, id: string, reason: string | undefined): Promise<ExitCode> {
  const workplace = await openDatabaseThere(place);
  try {
    const { engine } = workplace;
    const known = (await knownOwners(engine)).owners.find(({ owner }) => owner.id === id);
    if (known === undefined && !(await engine.goneOwners()).includes(id))
      throw new FlyballError(
        'INPUT_INVALID',
        `No process with the id ${id} owns a run or has left an effect open. Give the whole id. List the processes that do: ${place.command('owner', 'list')}`,
      );
    const why = reason === undefined ? {} : { why: reason };
    const operation = { at: Date.now(), by: whoAmI(), action: 'owner-gone', of: id, ...why } as const;
    const left = known?.left ?? [];
    const { held, woken } = await declareOwnerGone(engine, operation, left);
    screen.data({ kind: 'owner-gone', owner: id, runs: held, woken, left });
    screen.line(
      `${id} is declared gone.${held.length === 0 && left.length === 0 ? ' It owns no run and left no effect open, so nothing else changes.' : ''}`,
    );
    if (held.length > 0) screen.line(`${plural(held.length, 'run')} can continue: ${held.join(', ')}`);
    for (const effect of left) screen.line(printable(leftText(effect, place)));
    return EXIT.ok;
  } finally {
    await workplace.close();
  }
}

/** What happens next to an effect that may have happened. */
function leftText(effect: LeftEffect, place: Call['place']): string {
  const { run, name, status, asked, deadline } = effect;
  const what = `${name} in run ${run} may have happened.`;
  if (asked) return `${what} A person has already been asked: ${place.command('inbox')}`;
  if (isAwaited(effect))
    return `${what} The run is queued: if ${name} can be verified, that happens after ${timeOf(deadline)}; otherwise a person is asked now.`;
  if (status === 'running') return `${what} It is resolved after ${timeOf(deadline)}, while the run continues.`;
  return `${what} It is resolved when the ${status} run continues: ${place.command('resume', run)}`;
}
