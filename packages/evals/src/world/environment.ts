import type { JsonSchema } from 'flyball';
import type { PyDict, PyValue } from '../tau2/python/value.js';
import type { Requestor, SimCall, SimMessage, ToolMessage } from './message.js';
import type { EnvFunction, InitialState, Task } from './task.js';

/** Whether a tool reads, writes, thinks or does something else. */
export type ToolType = 'read' | 'write' | 'think' | 'generic';

/** How a model sees a tool: data of the domain, in the shape of the OpenAI interface. */
export interface ToolSchema {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

/** What a toolkit keeps: patched by a task's initial data, compared by its hash. */
export interface Database {
  /** Objects merge key by key, everything else replaces. What does not fit throws `PyError` and changes nothing. */
  merge(patch: PyValue): void;
  /** SHA-256 of the dump with sorted keys. */
  hash(): string;
}

/** One side's functions. A kit may answer to more names than it shows: discoverable tools are members like any other. */
export interface Toolkit {
  /** What is offered to a model, in order. */
  readonly schemas: readonly ToolSchema[];
  has(name: string): boolean;
  typeOf(name: string): ToolType;
  mutates(name: string): boolean;
  /** Throws `PyError` where the reference raises. */
  call(name: string, args: PyDict): PyValue | Promise<PyValue>;
  /** Functions that are no tools: for initialization and assertions. */
  invoke(name: string, args: PyDict): PyValue;
  /** SHA-256 of its database; null where it has none. */
  hash(): string | null;
  /** What its functions work on. Initial data given to one side are shared with the other, so it can be replaced. */
  database?: Database | undefined;
}

/** How a trajectory is replayed. */
export interface ReplayOptions {
  /** A replayed call that answers otherwise than recorded throws. */
  readonly strict: boolean;
  /** Told of such a call where that is let pass. */
  readonly onDrift?: (call: SimCall, recorded: string, answered: string) => void;
}

/** A world for one simulation: made fresh, changed only by calls. */
export interface Environment {
  readonly domain: string;
  readonly policy: string;
  readonly agent: Toolkit;
  readonly user: Toolkit | undefined;
  /**
   * Runs a call, synchronises the two sides and renders the result; a `PyError` becomes a message with `error`, any other
   * error is ours and is thrown. There is no clock in here: `at` is 0, and whoever drives the simulation sets it.
   */
  respond(call: SimCall): Promise<ToolMessage>;
  /** Runs a call without rendering or synchronizing, as the gold path is replayed. Throws what the tool throws. */
  make(call: Pick<SimCall, 'name' | 'arguments' | 'requestor'>): PyValue | Promise<PyValue>;
  /** Runs a function of one side, tool or not, and synchronises: for initialization and assertions. */
  run(call: EnvFunction): Promise<PyValue>;
  /** Data, actions and history, in that order. */
  setState(state: InitialState | null, how: ReplayOptions): Promise<void>;
  /** Replays the changing calls of a trajectory. */
  replay(messages: readonly SimMessage[], how: ReplayOptions): Promise<void>;
  hashes(): { readonly agent: string | null; readonly user: string | null };
  /** Gives back what it holds outside of memory, such as a shell's folder. To be called once, when the simulation is over. */
  close?(): Promise<void>;
}

/** What an environment is made for. */
export interface EnvironmentOptions {
  /** The task whose gold path decides what is logged and which documents are golden. */
  readonly task?: Task;
  /** Reads through the discoverable wrapper that leave a trace, where the task's gold path does not say so. */
  readonly loggedReads?: ReadonlySet<string>;
  /** Name of a retrieval configuration, in domains that have them; the domain's default where absent. */
  readonly retrieval?: string;
  readonly retrievalOptions?: Readonly<Record<string, unknown>>;
  readonly solo?: boolean;
}

/** A domain with its data loaded: everything a simulation needs to know about it. */
export interface Domain {
  readonly name: string;
  readonly tasks: readonly Task[];
  /** Files of tasks that could not be read, each with the reason: whoever loads the domain says so. */
  readonly leftOut?: readonly string[];
  /** Named subsets; `base` is all of them where the data do not say. */
  readonly taskSets: ReadonlyMap<string, readonly string[]>;
  /** Names of retrieval configurations; empty in domains without documents. */
  readonly retrievals: readonly string[];
  readonly defaultRetrieval: string | undefined;
  environment(options: EnvironmentOptions): Environment;
  /** What an agent is told beside the policy, where figures are only comparable with the same words. */
  readonly agentInstruction?: string;
  /** The guidelines of a user simulator, with or without tools. */
  userGuidelines(withTools: boolean): string;
  /** By id: what retrieval finds, and what its recall is measured with. */
  readonly documents?: ReadonlyMap<string, { readonly title: string; readonly content: string }>;
  /** Which calls change state, which prove an identity, and what must come before what (`agents/policies`). */
  readonly compliance: Compliance;
  /** Gives back what its environments shared outside of memory; called once, when no environment is in use any more. */
  close?(): Promise<void>;
}

/** What a domain's metrics and gates need to know about its tools. */
export interface Compliance {
  /** The calls that count as writes in compliance metrics. */
  readonly writes: ReadonlySet<string>;
  /** The call that says an identity is verified. */
  readonly verification: string | undefined;
  /** Tasks whose own gold path writes before verification: reported apart. */
  readonly exempt: ReadonlySet<string>;
}

/** Where a domain's files are. */
export interface DataFolder {
  /** Absolute path or address, for messages. */
  readonly place: string;
  /** Undefined where there is no such file. */
  read(path: string): Promise<string | undefined>;
  /** Names in a folder, sorted by code point; empty where there is none. */
  list(path: string): Promise<readonly string[]>;
}

/** A domain that can be loaded. */
export interface DomainSource {
  readonly name: string;
  readonly summary: string;
  /** Ships with the package: needs no data folder. */
  readonly builtIn: boolean;
  load(data: DataFolder, tools?: DomainServices): Promise<Domain>;
}

/** What a domain gets from outside: embedder, sandbox, reranker. Each absent one closes the configurations that need it. */
export interface DomainServices {
  readonly embedder?: import('flyball').Embedder;
  readonly sandbox?: import('flyball').Sandbox;
  /** Rates a document for a query from 0 to 10. */
  readonly rate?: (query: string, document: string) => Promise<number>;
}

export type { Requestor };
