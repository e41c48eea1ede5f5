import { FlyballError, type Runtime } from 'flyball';
import type { Known } from './known.js';
import type { Machine } from './machine.js';
import type { Damage, Fault, Plan } from './plan.js';
import type { Simulation } from './simulation.js';

type Of<K extends Fault['kind']> = Extract<Fault, { readonly kind: K }>;

/** When the last fault is over. */
export function horizonOf({ faults, isPoisoned }: Plan): number {
  const ends = faults.map(
    (fault) => ('at' in fault ? fault.at : 0) + ('ms' in fault && fault.kind !== 'jump' ? fault.ms : 0),
  );
  const stops = faults.some((fault) => fault.kind === 'strike' && fault.how === 'stop') ? STOP_MS + 5_000 : 0;
  const sleeps = faults.some(({ kind }) => kind === 'set-back') ? SLEEPS_MS : 0;
  return 2_000 + Math.max(isPoisoned ? 60_000 : 0, stops, sleeps, ...ends);
}

/** To what a run does, and not to a time. */
function isBound(fault: Fault): fault is Of<'strike' | 'damage' | 'set-back' | 'hesitate'> {
  return !('at' in fault);
}

/** Has a fault happen when its time comes. One that is bound to a write happens there. */
export function apply(simulation: Simulation, fault: Fault): void {
  if (isBound(fault)) return;
  simulation.timeline.after(fault.at, () => {
    if (simulation.isHealed) return;
    simulation.trace(`fault ${JSON.stringify(fault)}`);
    happen(simulation, fault);
  });
}

function happen(
  simulation: Simulation,
  fault: Exclude<Fault, Of<'strike' | 'damage' | 'set-back' | 'hesitate'>>,
): void {
  const { timeline } = simulation;
  const until = (ms: number, end: () => void): void => void timeline.after(ms, end);
  const on = (slot: number, act: (machine: Machine) => void): void => {
    const machine = simulation.machines[slot];
    if (machine?.state === 'up') act(machine);
  };
  switch (fault.kind) {
    case 'crash':
      return on(fault.machine, (machine) => simulation.kill(machine, fault.backMs));
    case 'stop':
      return on(fault.machine, (machine) => {
        machine.stop();
        until(fault.ms, () => machine.goOn());
      });
    case 'cut':
      return on(fault.machine, (machine) => {
        machine.isCutOff = true;
        until(fault.ms, () => {
          machine.isCutOff = false;
        });
      });
    case 'jump':
      return on(fault.machine, (machine) => machine.jump(fault.ms));
    case 'full':
      simulation.isFull = true;
      return until(fault.ms, () => {
        simulation.isFull = false;
      });
    case 'storm':
      simulation.loss = fault.loss;
      return until(fault.ms, () => {
        simulation.loss = 0;
      });
    case 'deploy':
      return on(fault.machine, (machine) => deploy(simulation, machine, fault.drainMs));
    case 'declare':
      return void declare(simulation);
    default:
      return void meddled(simulation, fault);
  }
}

export function full(): FlyballError {
  return new FlyballError('STORAGE_FULL', 'The disk is full. Nothing was written.', { retryable: true });
}

function deploy(simulation: Simulation, machine: Machine, drainMs: number): void {
  simulation.version = '2';
  void machine.leave(drainMs).then(() => {
    simulation.left(machine);
    if (simulation.machines[machine.slot] === machine) simulation.open(machine.slot);
  });
}

/** Operators vouch for what they know: only what was killed is gone. */
async function declare(simulation: Simulation): Promise<void> {
  const owners = [...simulation.truth.runs.values()].flatMap(({ owner }) =>
    owner !== undefined && simulation.isDead(owner) ? [owner] : [],
  );
  for (const { id } of owners) {
    simulation.trace(`op says that ${id} is gone`);
    await simulation.truth.engine.declareGone({ at: simulation.timeline.now, by: 'op', action: 'owner-gone', of: id });
  }
}

/** A write to a run is the moment of a fault: the process that makes it is killed, or stands still. */
export function strike(simulation: Simulation, machine: Machine, { how, run, cancels }: Of<'strike'>): void {
  simulation.trace(`${machine.name} is struck: ${how}`);
  if (how === 'crash') simulation.kill(machine, 1_000);
  else {
    machine.stop();
    simulation.timeline.after(STOP_MS, () => machine.goOn());
  }
  const cancel = (): void => void meddle(simulation, { kind: 'cancel', at: 0, run }).catch(() => undefined);
  if (cancels) simulation.timeline.after(300, cancel);
}

/** What is stored of a run rots, where there is a disk. The process that has just written to it may be killed with it. */
export function damage(simulation: Simulation, machine: Machine, known: Known, fault: Damage): void {
  const { runId, fence } = known;
  const generation = Math.max(...known.next.keys());
  const what = simulation.disk?.damage(runId, generation, fault, simulation.random);
  if (what === undefined) return;
  simulation.trace(`${what}, of ${runId}, is damaged`);
  known.damage = { where: fault.where, fence, generation };
  if (fault.kills) simulation.kill(machine, 1_000);
}

/** A run has come to rest: dates are set, or an operator has it go on and wants it to rest all the same. */
export function atRest(simulation: Simulation, runId: string, fault: Of<'set-back' | 'hesitate'>): void {
  const { machines, timeline, truth } = simulation;
  simulation.trace(`fault ${JSON.stringify(fault)}`);
  if (fault.kind === 'set-back') for (const machine of machines) machine.jump(fault.ms);
  else
    timeline.after(1, () => {
      const post = (kind: 'resume' | 'pause') =>
        truth.engine.post(runId, { id: `${kind} of op`, kind, name: '', from: 'op', at: timeline.now, body: '' });
      post('resume')
        .then(() => post('pause'))
        .catch((error: Error) => simulation.trace(`refused: ${error.message}`));
    });
}

/** So long that it shows whether a run wakes whose machine has another date than it slept by. */
const SLEEPS_MS = 40_000;

/** Longer than a lease. */
const STOP_MS = 20_000;

async function meddled(simulation: Simulation, fault: Parameters<typeof meddle>[1]): Promise<void> {
  const refused = simulation.asks(fault.kind, `run-${fault.run}`);
  const done = meddle(simulation, fault);
  // whoever wakes a run wants it to go on, as a worker would have it: another one that is quicker is all right
  await (fault.kind === 'wake' ? done : done.catch(refused)).catch((error: Error) =>
    simulation.trace(`refused: ${error.message}`),
  );
}

async function meddle(
  simulation: Simulation,
  { kind, run }: Of<'cancel' | 'pause' | 'redirect' | 'stray' | 'early' | 'wake'>,
): Promise<void> {
  const runId = `run-${run}`;
  const known = simulation.truth.of(runId);
  const server = simulation.server(known?.version);
  if (known === undefined) return;
  if (kind === 'cancel') return cancel(simulation, known, server);
  if (server === undefined) return;
  switch (kind) {
    case 'pause':
      return server.pause(runId, { by: 'op' });
    case 'redirect':
      return server.redirect(runId, 'Never write to Bob.', { by: 'op' });
    case 'stray':
      await server.signal(runId, 'nobody-asked', 1, { from: 'mallory' });
      return;
    case 'wake':
      await server.wake(runId);
      return;
    case 'early':
      for (let n = 0; n < 4; n++)
        await server
          .signal(runId, `approve:#${n}`, { verdict: 'approve' }, { from: 'mallory', scopes: [] })
          .catch(() => undefined);
  }
}

/** From a server, or, where none is up, from a command line of the operator's own. */
async function cancel(simulation: Simulation, known: Known, server: Runtime | undefined): Promise<void> {
  const { runId, fence, owner } = known;
  const why = 'wrong address';
  simulation.cancelled.add(runId);
  if (server !== undefined) await server.cancel(runId, { by: 'op', why });
  else await cancelDirectly(simulation, known, why);
  simulation.calledOff.add(runId);
  const isDead = owner === undefined || simulation.isDead(owner);
  const isActing = [...simulation.acting].some(({ key, machine }) => key.startsWith(`${runId}:`) && !machine.isDead());
  if (isDead && !isActing && known.fence === fence)
    simulation.world(runId).deeds.push({ what: 'cancelled', key: '', kind: '' });
}

async function cancelDirectly(
  { truth, timeline, plan, dispatch }: Simulation,
  known: Known,
  why: string,
): Promise<void> {
  const { runId } = known;
  const message = {
    id: `cancel ${timeline.now}`,
    kind: 'cancel',
    name: '',
    from: 'op',
    body: JSON.stringify({ why }),
  } as const;
  await truth.engine.post(runId, { ...message, at: timeline.now });
  if (['paused', 'bounded', 'stalled'].includes(known.status)) await truth.engine.requeue(runId);
  if (plan.turns === 'dispatcher') await dispatch.port.dispatch(runId);
}
