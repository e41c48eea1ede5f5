import { ConfigError } from 'flyball';
import type { DataFolder } from '../../../world/environment.js';
import type { Configuration, ModelChoice } from './configurations.js';
import type { KnowledgeDocument } from './knowledge.js';

/** Templates and the parts they are made of, by file name and by component name. */
export interface PromptFiles {
  readonly place: string;
  readonly templates: ReadonlyMap<string, string>;
  readonly components: ReadonlyMap<string, string>;
}

export async function loadPrompts(data: DataFolder, folder: string): Promise<PromptFiles> {
  const [templates, components] = await Promise.all([
    markdownIn(data, `${folder}/prompts`),
    markdownIn(data, `${folder}/prompts/components`),
  ]);
  const named = new Map([...components].map(([file, text]) => [file.replace(/\.md$/, ''), text]));
  return { place: `${data.place}/${folder}/prompts`, templates, components: named };
}

async function markdownIn(data: DataFolder, folder: string): Promise<ReadonlyMap<string, string>> {
  const files = (await data.list(folder)).filter((name) => name.endsWith('.md'));
  const texts = await Promise.all(files.map(async (name) => [name, await data.read(`${folder}/${name}`)] as const));
  return new Map(texts.filter((entry): entry is readonly [string, string] => entry[1] !== undefined));
}

/** A document as prompts show it. */
const shown = ({ title, content }: KnowledgeDocument): string => `## ${title}\n\n${content}`;
const joined = (documents: readonly KnowledgeDocument[]): string => documents.map(shown).join('\n\n---\n\n');

/** What the search over vectors runs on, as an agent with all tools is told. */
const SERVED_BY: Readonly<Record<Exclude<ModelChoice, 'given'>, { readonly by: string; readonly model: string }>> = {
  openai: { by: 'OpenAI API', model: 'text-embedding-3-large' },
  qwen: { by: 'OpenRouter', model: 'qwen3-embedding-8b' },
};

export interface PolicyParts {
  readonly documents: readonly KnowledgeDocument[];
  /** Ids or titles, in the order in which they are shown. */
  readonly golden: readonly string[];
  /** Id of the embedder that the caller brought. */
  readonly embedder: string | undefined;
}

/** The policy of a configuration. Texts are put in as they are: what stands in a document is never read as a placeholder. */
export function policyOf(configuration: Configuration, prompts: PromptFiles, parts: PolicyParts): string {
  const template = prompts.templates.get(configuration.template);
  if (template === undefined)
    throw new ConfigError(`${prompts.place} has no ${configuration.template}, which ${configuration.name} needs.`);
  const fill = (name: string): string | undefined => {
    switch (name) {
      case 'full_knowledge_base':
        return configuration.inPrompt === 'everything' ? joined(parts.documents) : undefined;
      case 'required_documents':
        return configuration.inPrompt === 'golden' ? golden(parts) : undefined;
      case 'all_tools_dense_instructions':
        return configuration.toolkit === 'KnowledgeToolsAllTools' ? denseSentence(configuration, parts) : undefined;
      default:
        return undefined;
    }
  };
  const whole = template.replace(/\{\{component:(\w+)\}\}/g, (_all, name: string) => component(prompts, name));
  const policy = whole.replace(/\{\{(\w+)\}\}/g, (all, name: string) => fill(name) ?? all);
  if (policy.trim() !== '') return policy;
  throw new ConfigError(`The policy of ${configuration.name} is empty: ${prompts.place} is not what it should be.`);
}

function component({ components, place }: PromptFiles, name: string): string {
  const text = components.get(name);
  if (text === undefined) throw new ConfigError(`${place}/components has no ${name}.md, which a template asks for.`);
  return text;
}

/** By title first, then by id; one that is not there is left out. The last of several with one title counts. */
function golden({ documents, golden: wanted }: PolicyParts): string {
  const byTitle = new Map(documents.map((document) => [document.title, document]));
  const byId = new Map(documents.map((document) => [document.id, document]));
  const found = wanted.flatMap((name) => byTitle.get(name) ?? byId.get(name) ?? []);
  return found.length === 0 ? '(No documents provided)' : joined(found);
}

function denseSentence({ model = 'given' }: Configuration, { embedder }: PolicyParts): string {
  const [provider = '', ...rest] = (embedder ?? 'local/embedder').split('/');
  const served = model === 'given' ? { by: provider, model: rest.join('/') } : SERVED_BY[model];
  return `The \`KB_search_dense\` tool uses **${served.by}** with embedding model \`${served.model}\` for dense retrieval.`;
}
