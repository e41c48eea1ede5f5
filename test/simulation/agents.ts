import { type Agent, done, type Run } from 'flyball';
import { agentOf, helperOf } from '../crash/interpret.js';
import { sessionOf, textOnlyOf, toolsOf } from '../crash/things.js';
import { runOf, type World } from '../crash/world.js';
import type { Machine } from './machine.js';
import type { Simulation } from './simulation.js';

/** The code on one machine: what each run is to do there, in the version of the machine. */
export function agentFor(simulation: Simulation, machine: Machine, life: number): Agent<never, unknown> {
  const { plan } = simulation;
  const agents = new Map<string, unknown>(
    plan.cases.map((given, n) => {
      const world = viewOf(simulation, machine, simulation.world(`run-${n}`));
      const session = sessionOf(given, world);
      const on = { world, tools: toolsOf(world), session, textOnly: textOnlyOf(session) };
      return [`run-${n}`, agentOf(given, on, life)] as const;
    }),
  );
  const current = async (run: Run, input: never) => {
    if (plan.isPoisoned && run.id === 'run-0') await poison(simulation, machine, run);
    return (agents.get(run.id) as Agent<never, unknown>)(run, input);
  };
  if (machine.version === '1') return current;
  if (plan.next === 'different')
    return async (run) => {
      await run.step('checked', null, () => 'checked', 'pure');
      return done('version 2');
    };
  return async (run, input) => {
    if (run.changed('version 2')) await run.step('changed', null, () => 'changed', 'pure');
    return current(run, input);
  };
}

/** What runs that runs start do there: they act in the world of the run that started them. */
export function helperFor(simulation: Simulation, machine: Machine): Agent<number, number> {
  return (run, input) => helperOf(viewOf(simulation, machine, simulation.world(run.id)))(run, input);
}

/** Takes its process with it, whichever it is. */
function poison(simulation: Simulation, machine: Machine, run: Run): Promise<unknown> {
  const body = (): Promise<never> => {
    simulation.timeline.after(100, () => simulation.kill(machine, 500));
    return new Promise(() => {});
  };
  return run.step('poison', null, body, 'pure');
}

/** The world of a run as one machine acts on it. */
function viewOf(simulation: Simulation, machine: Machine, world: World): World {
  const { random, truth, timeline, plan, acting } = simulation;
  const fences = new Map<string, number>();
  const view = world.seenBy({
    clock: machine.clock,
    isDead: () => machine.isDead(),
    latency: async () => {
      const ms = random.int(3) > 0 ? 0 : random.int(60);
      if (ms > 0) await new Promise<void>((resolve) => void machine.clock.after(ms, resolve));
    },
    begins: (how) => {
      const known = truth.of(runOf(how.key));
      fences.set(how.key, how.fence ?? 0);
      if (known === undefined || machine.isDead() || plan.turns === 'dispatcher') return;
      const isHeld = known.owner?.id === machine.owner.id && known.fence === how.fence;
      if (!isHeld || known.leaseUntil <= timeline.now)
        simulation.blame('act:unleased', `${machine.name} began ${how.key} under ${how.fence}, which it does not hold`);
    },
    isOver: (how) => () => machine.isDead() || truth.of(runOf(how.key))?.fence !== how.fence,
  });
  const execute: World['execute'] = async (how, given) => {
    const mine = { key: how.key, machine };
    acting.add(mine);
    try {
      return await world.execute.call(view, how, given);
    } finally {
      acting.delete(mine);
    }
  };
  // a resource that is safe to be asked twice knows fences: whoever lost the run cannot do again what was undone since
  const makes: World['makes'] = (key, kind) => {
    const isRepeatable = kind === 'idempotent' || kind === 'compensable';
    const fence = truth.of(runOf(key))?.fence ?? 0;
    if (isRepeatable && (fences.get(key) ?? 0) < fence) return false;
    simulation.trace(`${machine.name} makes ${key} ${kind}`);
    return world.makes(key, kind);
  };
  // the same resource undoes nothing for whoever lost the run; only with a dispatcher does it get that far
  const undo: World['undo'] = async (how) => {
    if ((how.fence ?? 0) < (truth.of(runOf(how.key))?.fence ?? 0)) return;
    await world.undo.call(view, how);
  };
  return Object.assign(view, { execute, makes, ...(plan.turns === 'dispatcher' ? { undo } : {}) });
}
