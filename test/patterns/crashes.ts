import { type Agent, createRuntime, done, memoryEngine } from 'flyball';
import {
  assertSame,
  exercise,
  type Outside,
  type Scenario,
  type Script,
  type ScriptedModel,
  scriptedModel,
} from 'flyball/testing';
import { session } from './bed.js';

/** A pattern whose parts act on the world, to be crashed at every write. */
export interface Crashed {
  /** Replies that depend on the request alone: every play asks again. */
  readonly script: Script;
  readonly agent: (bed: {
    readonly model: ScriptedModel;
    readonly outside: Outside;
    /** Asks the session of this name, and saves what it said: each text once, whatever happens. */
    readonly acting: (name: string) => Agent<string, string>;
  }) => Agent<never, unknown>;
  readonly input: unknown;
  readonly ends: NonNullable<Scenario['ends']>;
}

/** Plays it straight, then crashed, evicted, paused, cancelled and forked: all have to end alike and act once. */
export async function sameAfterCrashes(name: string, { script, agent, input, ends }: Crashed): Promise<void> {
  const scenario: Scenario = {
    name,
    open: (life, outside) => {
      const model = outside.keep('model', () => scriptedModel(script));
      const acting =
        (seat: string): Agent<string, string> =>
        async (run, task) => {
          const { text } = await run.ask(session(model, seat), task);
          await run.step('save', text, (_, how) => outside.act(`save ${text}`, how), 'idempotent');
          return done(text);
        };
      const made = agent({ model, outside, acting }) as Agent<unknown, unknown>;
      return createRuntime({ ...life, agents: { agent: made } });
    },
    input,
    ends,
  };
  const report = await exercise(scenario, { engine: memoryEngine });
  assertSame(report);
}
