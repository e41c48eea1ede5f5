import { Command } from 'commander';
import { nodeHost } from '../../adapters/host-node/node-host.js';
import { FlyballError } from '../../core/errors.js';
import { everyRun } from '../../operation/every-run.js';
import type { Engine, RunStatus } from '../../ports/engine.js';
import { plural } from '../amounts.js';
import { type Call, type CommonOptions, newCommand, type Perform } from '../command.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { whoAmI } from '../place.js';
import { openDatabaseThere } from '../workplace.js';

const ABOUT = 'Look after the processes that own runs, and declare one gone that nobody else can prove gone.';
const GONE =
  'Declare an owner gone: a container that was removed, a machine that is off. Its runs go on at once, and an effect that it left open ' +
  'is treated as that of a process that is proven dead. Only say so when it is true: a process that is alive after all loses its runs, ' +
  'but what it is doing at that moment may happen twice.';

export function ownerCommand(perform: Perform): Command {
  const command = new Command('owner').summary('Look after the processes that own runs').description(ABOUT);
  command.helpCommand(false);
  command.addCommand(
    newCommand('list', 'List the processes that own runs, with what is known of them.', ['flyball owner list']).action(
      (options: CommonOptions) => perform(options, {}, list),
    ),
  );
  command.addCommand(
    newCommand('gone <id>', GONE, [
      'flyball owner gone 4f1c…',
      "flyball owner gone 4f1c… --reason 'node-3 was taken down'",
    ])
      .option('--reason <text>', 'why, for the log of operations')
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
    const owners = new Map<string, { host: string; pid: number; runs: string[]; state: string; leaseUntil: number }>();
    for await (const { id, owner, leaseUntil = 0 } of everyRun(workplace.engine, { status: 'running' })) {
      if (owner === undefined) continue;
      const state = declared.has(owner.id)
        ? 'declared gone'
        : nodeHost().isGone(owner)
          ? 'gone'
          : 'not known to be gone';
      const known = owners.get(owner.id) ?? { host: owner.host, pid: owner.pid, runs: [], state, leaseUntil };
      known.runs.push(id);
      owners.set(owner.id, known);
    }
    screen.data({ owners: [...owners].map(([id, about]) => ({ id, ...about })) });
    if (owners.size === 0) screen.line('No process owns a run.');
    for (const [id, { host, pid, runs, state, leaseUntil }] of owners)
      screen.line(
        `${id}  process ${pid} on ${host}  ${plural(runs.length, 'run')}  ${state}  lease until ${new Date(leaseUntil).toISOString()}`,
      );
    return EXIT.ok;
  } finally {
    await workplace.close();
  }
}

async function gone({ screen, place }: Call, id: string, reason: string | undefined): Promise<ExitCode> {
  const workplace = await openDatabaseThere(place);
  try {
    if (!(await isOwner(workplace.engine, id)))
      throw new FlyballError(
        'INPUT_INVALID',
        `No process with the id ${id} owns or has worked on an open run. See which ones do: ${place.command('owner', 'list')}`,
      );
    const why = reason === undefined ? {} : { why: reason };
    const runs = await workplace.engine.declareGone({
      at: Date.now(),
      by: whoAmI(),
      action: 'owner-gone',
      of: id,
      ...why,
    });
    screen.data({ kind: 'owner-gone', owner: id, runs });
    screen.line(
      runs.length === 0
        ? `${id} owns no run now. It is noted as gone: effects that it left open are resolved when their runs go on.`
        : `${id} is noted as gone. ${plural(runs.length, 'run')} can go on: ${runs.join(', ')}`,
    );
    return EXIT.ok;
  } finally {
    await workplace.close();
  }
}

/** Stalled last: a journal that cannot be read is among them. */
const RESTING: readonly RunStatus[] = ['running', 'pending', 'suspended', 'paused', 'bounded', 'stalled'];

/** A mistyped id is one that owns nothing, was not declared gone, and worked on no run that is still open. */
async function isOwner(engine: Engine, id: string): Promise<boolean> {
  for await (const { owner } of everyRun(engine, { status: 'running' })) if (owner?.id === id) return true;
  if ((await engine.goneOwners()).includes(id)) return true;
  for (const status of RESTING) {
    for await (const run of everyRun(engine, { status }))
      for (const { body } of await engine.read(run.id, { generation: run.generation }))
        if (body.includes('attempt-start') && startedBy(body) === id) return true;
  }
  return false;
}

function startedBy(body: string): string | undefined {
  const event = JSON.parse(body) as { readonly type?: string; readonly owner?: { readonly id?: string } };
  return event.type === 'attempt-start' ? event.owner?.id : undefined;
}
