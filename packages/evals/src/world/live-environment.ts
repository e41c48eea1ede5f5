import { pyEquals } from '../tau2/python/equality.js';
import { parseJson } from '../tau2/python/json.js';
import { PyError, type PyValue } from '../tau2/python/value.js';
import type { Environment, ReplayOptions, Toolkit } from './environment.js';
import { answeredCalls } from './history-calls.js';
import type { SimCall, SimMessage, ToolMessage } from './message.js';
import { render } from './render.js';
import type { EnvFunction, InitialState } from './task.js';

/** What an environment consists of. */
export interface EnvironmentParts {
  readonly domain: string;
  readonly policy: string;
  readonly agent: Toolkit;
  readonly user?: Toolkit | undefined;
  /** Carries what happened on one side over to the other; after every live call, and at the end of a replay. */
  readonly sync?: () => void;
  /** The agent works without a user, with the tools of both sides. */
  readonly solo?: boolean;
}

/** Builds an environment from its parts. */
export function makeEnvironment(parts: EnvironmentParts): Environment {
  return new LiveEnvironment(parts);
}

class LiveEnvironment implements Environment {
  readonly domain: string;
  readonly policy: string;
  readonly agent: Toolkit;
  readonly user: Toolkit | undefined;
  readonly #isSolo: boolean;
  readonly #sync: () => void;

  constructor({ domain, policy, agent, user, sync, solo }: EnvironmentParts) {
    this.domain = domain;
    this.policy = policy;
    this.agent = agent;
    this.user = user;
    this.#isSolo = solo === true;
    this.#sync = sync ?? (() => {});
    if (this.#isSolo) checkNames(agent, user);
    this.#sync();
  }

  async respond(call: SimCall): Promise<ToolMessage> {
    const message = { role: 'tool', id: call.id, requestor: call.requestor, at: 0 } as const;
    try {
      const result = await this.make(call);
      this.#sync();
      return { ...message, content: render(result), error: false };
    } catch (error) {
      if (!(error instanceof PyError)) throw error;
      return { ...message, content: `Error: ${error.message}`, error: true };
    }
  }

  make(call: Pick<SimCall, 'name' | 'arguments' | 'requestor'>): PyValue | Promise<PyValue> {
    checkArguments(call);
    return this.#kitFor(call).call(call.name, call.arguments);
  }

  #kitFor({ name, requestor }: Pick<SimCall, 'name' | 'requestor'>): Toolkit {
    if (requestor === 'user') {
      if (this.#isSolo) throw new PyError('ValueError', 'User tool calls are not allowed in solo mode');
      return this.#side('user');
    }
    return this.#isSolo && this.user?.has(name) === true ? this.user : this.agent;
  }

  #side(side: EnvFunction['side']): Toolkit {
    if (side === 'assistant') return this.agent;
    if (this.user === undefined) throw new PyError('ValueError', 'User tools not available');
    return this.user;
  }

  async run(call: EnvFunction): Promise<PyValue> {
    const result = this.#side(call.side).invoke(call.name, call.arguments);
    this.#sync();
    return result;
  }

  async setState(state: InitialState | null, how: ReplayOptions): Promise<void> {
    this.#initialize(state?.agentData ?? null, this.agent, this.user);
    this.#initialize(state?.userData ?? null, this.user, this.agent);
    for (const action of state?.actions ?? []) await this.run(action);
    await this.replay(state?.history ?? [], how);
  }

  /** After initial data both sides hold the same database, even where they started with one each. */
  #initialize(patch: PyValue, side: Toolkit | undefined, other: Toolkit | undefined): void {
    if (patch === null) return;
    if (side?.database === undefined) throw new PyError('ValueError', 'Database has not been initialized.');
    side.database.merge(patch);
    if (other?.database !== undefined) other.database = side.database;
  }

  async replay(messages: readonly SimMessage[], how: ReplayOptions): Promise<void> {
    if (this.#isSolo && messages.some(({ role }) => role === 'user')) {
      throw new PyError('ValueError', 'User messages are not allowed in solo mode');
    }
    for (const [call, recorded] of answeredCalls(messages)) {
      if (!this.#changes(call.name)) continue;
      const answered = await this.respond(call);
      if (isSameContent(answered.content, recorded.content)) continue;
      if (how.strict) throw drifted(call, recorded.content, answered.content);
      how.onDrift?.(call, recorded.content, answered.content);
    }
    this.#sync();
  }

  /** Names that neither side knows were refused when they were called, and changed nothing. */
  #changes(name: string): boolean {
    const kit = [this.agent, this.user].find((each) => each?.has(name) === true);
    return kit?.mutates(name) === true;
  }

  hashes(): ReturnType<Environment['hashes']> {
    return { agent: this.agent.hash(), user: this.user?.hash() ?? null };
  }
}

/** The reference passes a call's arguments beside its own parameters, so their names cannot be used. */
function checkArguments(call: Pick<SimCall, 'arguments'>): void {
  const fn = 'Environment.make_tool_call()';
  if (call.arguments.has('requestor')) {
    const problem = `tau2.environment.environment.${fn} got multiple values for keyword argument 'requestor'`;
    throw new PyError('TypeError', problem);
  }
  for (const name of call.arguments.keys()) {
    if (name === 'self' || name === 'tool_name') {
      throw new PyError('TypeError', `${fn} got multiple values for argument '${name}'`);
    }
  }
}

function checkNames(agent: Toolkit, user: Toolkit | undefined): void {
  const shared = agent.schemas
    .map(({ name }) => name)
    .filter((name) => user?.schemas.some((each) => each.name === name));
  if (shared.length > 0) throw new PyError('ValueError', `Tool names overlap: ${shared.join(', ')}`);
}

/** Equal as JSON where both are, else as text. */
function isSameContent(a: string, b: string): boolean {
  return a === b || pyEquals(decoded(a), decoded(b));
}

function decoded(content: string): PyValue {
  try {
    return parseJson(content);
  } catch (error) {
    if (error instanceof PyError && error.kind === 'JSONDecodeError') return content;
    throw error;
  }
}

function drifted({ name, id }: SimCall, recorded: string, answered: string): PyError {
  return new PyError(
    'ValueError',
    `Call ${id} of ${name} answered otherwise than recorded.\nRecorded: ${recorded}\nAnswered: ${answered}`,
  );
}
