import type { WorkspaceMaker } from 'flyball/internal';
import type { VectorCache } from 'flyball/retrieval';
import type { DomainServices } from '../../../world/environment.js';
import type { Task } from '../../../world/task.js';
import type { PyDict } from '../../python/value.js';

/** One document of the knowledge base. */
export interface KnowledgeDocument {
  readonly id: string;
  readonly title: string;
  readonly content: string;
}

/** Which list of `agent_toolkits` in tools.json shows what an agent with this configuration may call. */
export type ToolkitName =
  | 'KnowledgeToolsPlain'
  | 'KnowledgeToolsWithKBSearch'
  | 'KnowledgeToolsWithGrep'
  | 'KnowledgeToolsWithKBSearchAndGrep'
  | 'KnowledgeToolsWithShell'
  | 'KnowledgeToolsAllTools';

/** What a retrieval tool needs from outside. Each absent one closes the tools that need it, when they are called. */
export interface KnowledgeServices extends DomainServices {
  /** Keeps document vectors between processes. */
  readonly vectors?: VectorCache;
  /** Makes the folder over which the shell works. */
  readonly workspace?: WorkspaceMaker;
  /** Milliseconds, for the timing line under search results; there is none without it. */
  readonly now?: () => number;
}

/** A parameter as Python's binding sees it; one with a default may be left out. */
export interface RetrievalParameter {
  readonly name: string;
  readonly default?: bigint;
}

export interface RetrievalTool {
  readonly name: string;
  readonly parameters: readonly RetrievalParameter[];
  /** Gets all its parameters by name, defaults filled in. Throws `PyError` where the reference raises. */
  call(args: PyDict): Promise<string>;
}

/** A retrieval configuration made ready for one environment. */
export interface KnowledgeSetup {
  /** The configuration's own name, whatever alias it was asked for by. */
  readonly retrieval: string;
  readonly policy: string;
  /** What a results file says about the policy: a note where it differs from task to task. */
  readonly infoPolicy: string;
  readonly toolkit: ToolkitName;
  /** In the order in which they are offered, before the domain's own tools. */
  readonly tools: readonly RetrievalTool[];
  /** Removes the shell's folder, where one was made. */
  close(): Promise<void>;
}

export interface SetupRequest {
  /** `alltools` where absent. */
  readonly retrieval?: string;
  /** `top_k`, `grep_top_k`, `case_sensitive`, `reranker_min_score`; null counts as absent. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** Its documents are the golden ones. */
  readonly task?: Pick<Task, 'requiredDocuments'>;
}

/** The knowledge base with its prompts, loaded once and shared by all environments of a domain. */
export interface Knowledge {
  /** Sorted by id. */
  readonly documents: readonly KnowledgeDocument[];
  /** Names of all configurations: the reference's twenty, then ours. */
  readonly retrievals: readonly string[];
  readonly defaultRetrieval: string;
  /** Bad names and options throw ConfigError here; a missing service only when its tool is called. */
  setup(request: SetupRequest): KnowledgeSetup;
  /** Removes the folder of the read-only shells, where one was made. Nothing of it can be used any more. */
  close(): Promise<void>;
}
