import type { Run, ToolRef } from 'flyball';
import { EffectError, type Failure, FlyballError } from 'flyball';
import { failureOf } from 'flyball/internal';
import type { Environment, Toolkit, ToolSchema } from '../world/environment.js';
import type { Requestor, SimCall, ToolMessage } from '../world/message.js';
import type { InitialState } from '../world/task.js';
import type { ExperimentOptions } from './experiment.js';
import { dictFromPlain, toPlain } from './plain-arguments.js';

/** What a call answered, as the journal keeps it: text, or the text of an exception. */
type Answer = string | { readonly failed: string };

/** One call of the conversation. `applied`: this process's environment has been through it. */
interface Slot {
  readonly call: SimCall;
  answer: Answer | undefined;
  applied: boolean;
}

/**
 * An environment inside a durable run. Invariants:
 * 1. Every call goes through `run.call`: bounded, governed and journaled like every other tool of the runtime.
 * 2. The environment lives in this process. After a crash the journal answers the calls that were made, and before the
 *    next live one they are made again, in order, in a fresh environment: it stands where the old one stood.
 * 3. A call that a guard refused never reaches the environment, now or then.
 * 4. An exception of a tool is an answer; a failure of the world itself fails the simulation, which says nothing about
 *    the agent.
 */
export class JournaledWorld {
  private readonly environment: Environment;
  private readonly beginning: InitialState | null;
  private readonly slots: Slot[] = [];
  private readonly refusedIds: string[] = [];
  private begun: Promise<void> | undefined;

  constructor(environment: Environment, beginning: InitialState | null) {
    this.environment = environment;
    this.beginning = beginning;
  }

  get refused(): readonly string[] {
    return this.refusedIds;
  }

  /** Brings the environment to the task's beginning; once, however often it is asked. */
  begin(): Promise<void> {
    this.begun ??= this.environment.setState(this.beginning, { strict: true });
    return this.begun;
  }

  /** Gives back what the environment holds. Not awaited: nothing of it is in the journal, and every life has its own. */
  close(onProblem: ExperimentOptions['runtime']['onProblem']): void {
    this.environment.close?.().catch((error: unknown) => onProblem?.(error, 'closing a simulated world'));
  }

  /** What a side is offered. They are called through `respond`, which knows where each call belongs. */
  offered(side: Requestor, names?: ReadonlySet<string>): readonly ToolRef[] {
    const kit = this.kitOf(side);
    const schemas = (kit?.schemas ?? []).filter(({ name }) => names === undefined || names.has(name));
    return schemas.map((schema) => this.toolOf(schema, kit, async () => notThisWay(schema.name)));
  }

  async respond(run: Run, call: SimCall): Promise<ToolMessage> {
    const slot: Slot = { call, answer: undefined, applied: false };
    this.slots.push(slot);
    const kit = this.kitOf(call.requestor);
    const schema = kit?.schemas.find(({ name }) => name === call.name) ?? unlisted(call.name);
    const tool = this.toolOf(schema, kit, (args) => this.make(slot, args));
    const result = await run.call<Answer>(tool, toPlain(call.arguments));
    const about = { role: 'tool', id: call.id, requestor: call.requestor, at: run.now() } as const;
    if (!result.ok) {
      if (isWorldBroken(result.failure)) throw new EffectError(result.failure);
      if (run.calls().at(-1)?.tookPlace !== true) {
        slot.applied = true;
        this.refusedIds.push(call.id);
      }
      return { ...about, content: `Error: ${result.content}`, error: true };
    }
    slot.answer = result.value;
    return typeof result.value === 'string'
      ? { ...about, content: result.value, error: false }
      : { ...about, content: result.value.failed, error: true };
  }

  private async make(slot: Slot, args: unknown): Promise<Answer> {
    await this.begin().catch(broken);
    for (const earlier of this.slots) {
      if (earlier === slot) break;
      if (!earlier.applied) await this.makeAgain(earlier);
    }
    if (slot.applied && slot.answer !== undefined) return slot.answer; // asked again under the same key
    const call = { ...slot.call, arguments: dictFromPlain(args) };
    const { content, error } = await this.environment.respond(call).catch(broken);
    slot.applied = true;
    slot.answer = error ? { failed: content } : content;
    return slot.answer;
  }

  private async makeAgain(slot: Slot): Promise<void> {
    const { content } = await this.environment.respond(slot.call).catch(broken);
    slot.applied = true;
    const before = typeof slot.answer === 'string' ? slot.answer : slot.answer?.failed;
    const changes = this.kitOf(slot.call.requestor)?.mutates(slot.call.name) === true;
    // a search may tell its timing; a call that changes the world has to do the same again
    if (changes && before !== undefined && before !== content)
      throw new FlyballError(
        'REPLAY_DIVERGED',
        `Call ${slot.call.id} of ${slot.call.name} returned a different result than before the process was restarted. ` +
          "Run the simulation anew, or restore the version of the domain's data that it began with.",
        { detail: { world: 'broken', call: slot.call.name, before, now: content } },
      );
  }

  private kitOf(side: Requestor): Toolkit | undefined {
    return side === 'user' ? this.environment.user : this.environment.agent;
  }

  private toolOf(
    schema: ToolSchema,
    kit: Toolkit | undefined,
    execute: (args: unknown) => Promise<Answer>,
  ): ToolRef<Answer> {
    const changes = kit?.has(schema.name) === true && kit.mutates(schema.name);
    return {
      name: schema.name,
      description: schema.description,
      inputJsonSchema: schema.parameters,
      // the world that it changes is in this process's memory: repeated in a rebuilt one it changes nothing more
      effect: changes ? 'idempotent' : 'pure',
      execute,
      present: (answer: Answer) => (typeof answer === 'string' ? answer : answer.failed),
    };
  }
}

/** Our failure, not the agent's: a search that cannot be reached, a bug. The simulation fails, and may be tried again. */
function broken(cause: unknown): never {
  const failure = failureOf(cause);
  throw new FlyballError(failure.code, `The simulated world failed: ${failure.message}`, {
    retryable: failure.retryable,
    detail: { world: 'broken' },
    cause,
  });
}

/** Told by what crosses the journal, so that a replay takes the same turn. */
function isWorldBroken({ detail }: Failure): boolean {
  return (detail as { readonly world?: unknown } | undefined)?.world === 'broken';
}

/** A name that nobody offered may still be answered to: discoverable tools are. A wild one is not made a tool's name. */
function unlisted(name: string): ToolSchema {
  const isName = /^[\w.-]{1,64}$/.test(name);
  return { name: isName ? name : 'unknown_tool', description: 'Not offered.', parameters: { type: 'object' } };
}

function notThisWay(name: string): never {
  throw new FlyballError(
    'CONFIG_INVALID',
    `The tool ${name} of a simulation was called directly. Return the call as a move: the orchestrator makes it.`,
  );
}
