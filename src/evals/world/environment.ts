import type { JsonSchema } from '../../core/schema.js';
import type { PyDict, PyValue } from '../python/value.js';
import type { Requestor, SimCall, SimMessage, ToolMessage } from './message.js';
import type { InitialState, Task } from './task.js';

export type ToolType = 'read' | 'write' | 'think' | 'generic';

/** How a model sees a tool: data of the domain, in the shape of the OpenAI interface. */
export interface ToolSchema {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
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
  /** Functions that are no tools: for initialisation and assertions. */
  invoke(name: string, args: PyDict): PyValue;
  /** SHA-256 of its database; null where it has none. */
  hash(): string | null;
}

/** A world for one simulation: made fresh, changed only by calls. */
export interface Environment {
  readonly domain: string;
  readonly policy: string;
  readonly agent: Toolkit;
  readonly user: Toolkit | undefined;
  /** Runs a call and renders its result; an exception becomes a message with `error`. Then the two sides are synchronised. */
  respond(call: SimCall): Promise<ToolMessage>;
  /** Runs a call without rendering or synchronising, as the gold path is replayed. Throws what the tool throws. */
  make(call: Pick<SimCall, 'name' | 'arguments' | 'requestor'>): PyValue | Promise<PyValue>;
  /** Data, actions and history, in that order; `strict`: a replayed call that answers otherwise than recorded throws. */
  setState(state: InitialState | null, how: { readonly strict: boolean }): Promise<void>;
  /** Replays the changing calls of a trajectory. */
  replay(messages: readonly SimMessage[], how: { readonly strict: boolean }): Promise<void>;
  hashes(): { readonly agent: string | null; readonly user: string | null };
}

/** What an environment is made for. */
export interface EnvironmentOptions {
  /** The task whose gold path decides what is logged and which documents are golden. */
  readonly task?: Task;
  /** Name of a retrieval configuration, in domains that have them; the domain's default where absent. */
  readonly retrieval?: string;
  readonly retrievalOptions?: Readonly<Record<string, unknown>>;
  readonly solo?: boolean;
}

/** A domain with its data loaded: everything a simulation needs to know about it. */
export interface Domain {
  readonly name: string;
  readonly tasks: readonly Task[];
  /** Named subsets; `base` is all of them where the data do not say. */
  readonly taskSets: ReadonlyMap<string, readonly string[]>;
  /** Names of retrieval configurations; empty in domains without documents. */
  readonly retrievals: readonly string[];
  readonly defaultRetrieval: string | undefined;
  environment(options: EnvironmentOptions): Environment;
  /** The guidelines of a user simulator, with or without tools. */
  userGuidelines(withTools: boolean): string;
  /** Which calls change state, which prove an identity, and what must come before what (`agents/policies`). */
  readonly compliance: Compliance;
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

export interface DomainSource {
  readonly name: string;
  readonly summary: string;
  /** Ships with the package: needs no data folder. */
  readonly builtIn: boolean;
  load(data: DataFolder, tools?: DomainServices): Promise<Domain>;
}

/** What a domain gets from outside: embedder, sandbox, reranker. Each absent one closes the configurations that need it. */
export interface DomainServices {
  readonly embedder?: import('../../ports/embedder.js').Embedder;
  readonly sandbox?: import('../../ports/sandbox.js').Sandbox;
  /** Rates a document for a query from 0 to 10. */
  readonly rate?: (query: string, document: string) => Promise<number>;
}

export type { Requestor };
