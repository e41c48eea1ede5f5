import type { Agent, Run } from './run.js';

/** What the compiler knows about agents by name. Types only: nothing here runs. */

/** Any agent, whatever its input. */
export type AnyAgent = Agent<never, unknown>;

/** An agent with its version. */
export interface VersionedAgent {
  readonly agent: AnyAgent;
  readonly version: string;
}

/** Agents by name: functions, functions with their version, and what `defineAgent` and `workflow` return. */
export type Agents = Readonly<Record<string, AnyAgent | VersionedAgent>>;

type FunctionIn<A> = A extends { readonly agent: infer F } ? F : A;

/** The input type of an agent. Anything, if the type of the agent is unknown (`AnyAgent`). */
export type InputOf<A> =
  FunctionIn<A> extends (run: Run, input: infer I) => unknown ? ([I] extends [never] ? unknown : I) : unknown;

/** The output type of an agent. */
export type OutputOf<A> = FunctionIn<A> extends (...given: never) => Promise<infer End> ? ValueOf<End> : unknown;

/** The value in an outcome that has one. */
export type ValueOf<End> =
  Extract<End, { readonly stop: 'done' | 'degraded' }> extends { readonly value: infer V } ? V : never;
