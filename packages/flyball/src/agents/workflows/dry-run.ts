import { scopesOf } from '../../core/derived-run.js';
import { FlyballError, failureOf } from '../../core/errors.js';
import { blocked } from '../../core/outcome.js';
import type { Run } from '../../core/run.js';
import type { EffectClass } from '../../core/tool.js';
import type { DryAct } from './invoked.js';

/** A workflow that never ends by itself would never end a dry run either, because nothing is spent in one. */
export const MAX_DRY_ACTS = 1_000;

/** What a dry run would have done so far. Code that is replayed fills it again in the same order. */
export class DryActs {
  readonly list: DryAct[] = [];

  add(act: DryAct): void {
    if (this.list.length >= MAX_DRY_ACTS)
      throw notSimulated(`The dry run stopped after ${MAX_DRY_ACTS} acts, because the workflow does not seem to end.`);
    this.list.push(act);
  }
}

/**
 * A run that does nothing: model calls, tool calls, children, waits and effects that change something are only written
 * down. What has an answer that means "it did not happen" gets it, so that the workflow can go on; the rest throws
 * NOT_SIMULATED, which ends the dry run there. Pure steps are made: they change nothing.
 *
 * Member by member, not on top of the real run: a member that nobody thought of here would act.
 */
export function dryRunOf(run: Run, acts: DryActs): Run {
  const dry: Run & { readonly [REAL]: Run } = {
    [REAL]: run,
    ...dryEffects(run, acts),
    ...scopesOf(run, (other) => dryRunOf(other, acts)),
    id: run.id,
    path: run.path,
    subject: run.subject,
    tenant: run.tenant,
    get signal() {
      return run.signal;
    },
    get budget() {
      return run.budget;
    },
    calls: run.calls,
    models: run.models,
    instructions: run.instructions,
    framed: run.framed,
    look: run.look,
    now: run.now,
    random: run.random,
    note: run.note,
    best: run.best,
    changed: run.changed,
    pin: run.pin,
  };
  return dry;
}

type Effects = Pick<
  Run,
  'ask' | 'call' | 'step' | 'spawn' | 'start' | 'send' | 'cancel' | 'join' | 'board' | 'wait' | 'hear' | 'sleep'
> &
  Pick<Run, 'continueWith'>;

function dryEffects(run: Run, acts: DryActs): Effects {
  return {
    async ask(session, input) {
      acts.add({ kind: 'model', name: session.name, input: typeof input === 'string' ? input : null });
      return refuse(`ask the model of "${session.name}"`);
    },
    async call(tool, args) {
      acts.add({ kind: 'tool', name: tool.name, input: args });
      const failure = failureOf(notSimulated(`A dry run does not call ${tool.name}.`));
      return { ok: false, content: failure.message, failure };
    },
    async step(name, input, effect, effectClass) {
      if (isPure(effectClass)) return run.step(name, input, effect, effectClass);
      acts.add({ kind: 'step', name, input });
      return refuse(`make the step "${name}"`);
    },
    async spawn(agent, input) {
      acts.add({ kind: 'spawn', name: agent.name, input });
      return blocked(`a dry run does not spawn "${agent.name}": register it, and it is followed`);
    },
    async start(agent, input) {
      acts.add({ kind: 'spawn', name: agent, input });
      return refuse(`start the run "${agent}"`);
    },
    async send(ref, name) {
      acts.add({ kind: 'step', name: `send:${name}`, input: ref });
      return refuse(`send "${name}" to another run`);
    },
    async cancel(ref) {
      acts.add({ kind: 'step', name: 'cancel-run', input: ref });
      return refuse('cancel another run');
    },
    async join(ref) {
      acts.add({ kind: 'wait', name: ref.run, answered: 'timed-out' });
      return refuse('wait for another run');
    },
    board: (name, schema) => ({
      async post(entry) {
        acts.add({ kind: 'step', name: `post:${name}`, input: entry });
        return refuse(`post to the board "${name}"`);
      },
      read: () => run.board(name, schema).read(),
    }),
    async wait({ name }) {
      acts.add({ kind: 'wait', name, answered: 'timed-out' });
      return 'timed-out';
    },
    async hear({ name }) {
      acts.add({ kind: 'wait', name, answered: 'timed-out' });
      return 'timed-out';
    },
    async sleep(ms) {
      acts.add({ kind: 'sleep', ms });
    },
    continueWith() {
      acts.add({ kind: 'continue' });
      return refuse('continue in a new generation');
    },
  };
}

function refuse(what: string): never {
  throw notSimulated(`A dry run does not ${what}, so it cannot tell how the workflow would continue.`);
}

const REAL: unique symbol = Symbol('the run behind a dry one');

/** The run behind a dry one: looking up an agent and checking its inputs is done even in a dry run. */
export function realRun(run: Run): Run {
  return (run as { readonly [REAL]?: Run })[REAL] ?? run;
}

function isPure<A, T>(effectClass: EffectClass<A, T>): boolean {
  return effectClass === 'pure' || (typeof effectClass === 'object' && effectClass.class === 'pure');
}

function notSimulated(message: string): FlyballError {
  return new FlyballError('NOT_SIMULATED', message);
}
