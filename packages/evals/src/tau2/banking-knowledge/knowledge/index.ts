import { ConfigError } from 'flyball';
import type { Workspace } from 'flyball/internal';
import type { DataFolder } from '../../../world/environment.js';
import {
  CONFIGURATIONS,
  type Configuration,
  configurationOf,
  DEFAULT_RETRIEVAL,
  type Overrides,
  overridesOf,
} from './configurations.js';
import { loadDocuments } from './documents.js';
import { Indexes } from './indexes.js';
import type {
  Knowledge,
  KnowledgeDocument,
  KnowledgeServices,
  KnowledgeSetup,
  RetrievalTool,
  SetupRequest,
} from './knowledge.js';
import { loadPrompts, type PromptFiles, policyOf } from './prompts.js';
import { grepTool, kbSearch, kbSearchOf, type SearchParts } from './search-tools.js';
import { filesOf, shellTool } from './shell-tool.js';

export type {
  Knowledge,
  KnowledgeDocument,
  KnowledgeServices,
  KnowledgeSetup,
  RetrievalParameter,
  RetrievalTool,
  SetupRequest,
  ToolkitName,
} from './knowledge.js';

const FOLDER = 'domains/banking_knowledge';
/** What a results file says in place of a policy that differs from task to task. */
const TASK_SPECIFIC = "(Policy is task-specific - see 'policy' field in each simulation)";

/** Reads documents and prompts from a domain's folder: the bank's, unless another domain of the same kind names its own. */
export async function loadKnowledge(
  data: DataFolder,
  services: KnowledgeServices = {},
  folder = FOLDER,
): Promise<Knowledge> {
  const [documents, prompts] = await Promise.all([loadDocuments(data, folder), loadPrompts(data, folder)]);
  return new LoadedKnowledge(documents, prompts, services);
}

class LoadedKnowledge implements Knowledge {
  readonly retrievals: readonly string[] = [...CONFIGURATIONS.keys()];
  readonly defaultRetrieval = DEFAULT_RETRIEVAL;
  readonly documents: readonly KnowledgeDocument[];
  private readonly byId: ReadonlyMap<string, KnowledgeDocument>;
  private readonly prompts: PromptFiles;
  private readonly services: KnowledgeServices;
  private readonly indexes: Indexes;
  /** Those that are the same for every task: the whole knowledge base is not put together again for each. */
  private readonly policies = new Map<string, string>();
  /** All read-only shells look at the same folder. */
  private shared: Promise<Workspace> | undefined;

  constructor(documents: readonly KnowledgeDocument[], prompts: PromptFiles, services: KnowledgeServices) {
    this.documents = documents;
    this.byId = new Map(documents.map((document) => [document.id, document]));
    this.prompts = prompts;
    this.services = services;
    this.indexes = new Indexes(documents, services);
  }

  setup({ retrieval = DEFAULT_RETRIEVAL, options = {}, task }: SetupRequest): KnowledgeSetup {
    const configuration = configurationOf(retrieval);
    const overrides = overridesOf(options);
    const policy = this.policy(configuration, task?.requiredDocuments ?? []);
    const own: { folder?: Promise<Workspace> } = {};
    return {
      retrieval: configuration.name,
      policy,
      infoPolicy: configuration.inPrompt === 'golden' ? TASK_SPECIFIC : policy,
      toolkit: configuration.toolkit,
      tools: this.tools(configuration, overrides, own),
      close: async () => (await own.folder)?.close(),
    };
  }

  async close(): Promise<void> {
    const folder = this.shared;
    this.shared = undefined;
    await (await folder)?.close();
  }

  private policy(configuration: Configuration, golden: readonly string[]): string {
    const parts = { documents: this.documents, golden, embedder: this.services.embedder?.id };
    if (configuration.inPrompt === 'golden') return policyOf(configuration, this.prompts, parts);
    const known = this.policies.get(configuration.name) ?? policyOf(configuration, this.prompts, parts);
    this.policies.set(configuration.name, known);
    return known;
  }

  private tools(
    configuration: Configuration,
    overrides: Overrides,
    own: { folder?: Promise<Workspace> },
  ): readonly RetrievalTool[] {
    const { services, indexes, byId: documents } = this;
    const parts: SearchParts = { configuration, overrides, documents, indexes, services };
    const search = kbSearch(parts, configuration.search ?? 'bm25');
    switch (configuration.toolkit) {
      case 'KnowledgeToolsPlain':
        return [];
      case 'KnowledgeToolsWithKBSearch':
        return [search];
      case 'KnowledgeToolsWithGrep':
        return [grepTool(parts)];
      case 'KnowledgeToolsWithKBSearchAndGrep':
        return [search, grepTool(parts)];
      case 'KnowledgeToolsWithShell':
        return [this.shell(configuration.shellWrites === true, own)];
      case 'KnowledgeToolsAllTools':
        return [kbSearchOf(parts, 'bm25'), kbSearchOf(parts, 'dense'), this.shell(false, own)];
    }
  }

  /** A shell that may write has a folder of its own: what one simulation notes down, another does not find. */
  private shell(writes: boolean, own: { folder?: Promise<Workspace> }): RetrievalTool {
    if (!writes) return shellTool(this.services, () => (this.shared ??= this.folder()), 'read-only');
    return shellTool(this.services, () => (own.folder ??= this.folder()), 'read-write');
  }

  private async folder(): Promise<Workspace> {
    const { workspace } = this.services;
    if (workspace === undefined)
      throw new ConfigError('A shell over the documents needs a folder to put them in: give a workspace maker.');
    return workspace(filesOf(this.documents));
  }
}
