import type { JsonSchema } from 'flyball';
import { canonicalJson, sha256 } from 'flyball/internal';
import { plainOf, pyOf } from '../tau2/python/plain-values.js';
import { PyError } from '../tau2/python/value.js';
import type { Environment, Toolkit } from '../world/environment.js';
import { makeEnvironment } from '../world/live-environment.js';
import type { WorldSim } from './under-test.js';

/** A tool that works on a state in memory. It throws `PyError` where the real one would answer with an error. */
export interface SimTool<S> {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  /** It changes the state: after a crash it is done again, in a fresh one. */
  readonly changes?: boolean;
  run(state: S, args: Readonly<Record<string, unknown>>): unknown;
}

/** A simulated world: its state and the tools that work on it. */
export interface SimWorld<S> {
  readonly name: string;
  readonly version: string;
  readonly policy: string;
  /** A state of its own for every run: plain JSON. */
  state(scenario: string, seed: number): S;
  readonly tools: readonly SimTool<S>[];
  /** What the user may call. */
  readonly userTools?: readonly SimTool<S>[];
}

/** A small world of one's own. A benchmark's domain is one too: `{ pin, open: (task) => domain.environment(…) }`. */
export function simulatedWorld<S>(world: SimWorld<S>): WorldSim {
  return {
    pin: `${world.name} ${world.version}`,
    open: (scenario, seed): Environment => {
      const state = world.state(scenario, seed);
      return makeEnvironment({
        domain: world.name,
        policy: world.policy,
        agent: kitOf(world.tools, state),
        ...(world.userTools === undefined ? {} : { user: kitOf(world.userTools, state) }),
      });
    },
  };
}

function kitOf<S>(tools: readonly SimTool<S>[], state: S): Toolkit {
  const found = (name: string): SimTool<S> => {
    const tool = tools.find((one) => one.name === name);
    if (tool === undefined) throw new PyError('ValueError', `There is no tool called ${name}.`);
    return tool;
  };
  return {
    schemas: tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
    has: (name) => tools.some((one) => one.name === name),
    typeOf: (name) => (found(name).changes === true ? 'write' : 'read'),
    mutates: (name) => found(name).changes === true,
    call: (name, args) => pyOf(found(name).run(state, plainOf(args) as Readonly<Record<string, unknown>>)),
    invoke: (name) => {
      throw new PyError('AttributeError', `A simulated world has no function ${name} besides its tools.`);
    },
    hash: () => sha256(canonicalJson(state)),
  };
}
