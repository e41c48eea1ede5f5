import { ConfigError } from 'flyball';
import type { DataFolder } from '../../../world/environment.js';
import type { KnowledgeDocument } from './knowledge.js';

/** Sorted by id: the reference takes them as its file system lists them, which is no order that could be repeated. */
export async function loadDocuments(data: DataFolder, folder: string): Promise<readonly KnowledgeDocument[]> {
  const names = (await data.list(`${folder}/documents`)).filter((name) => name.endsWith('.json'));
  const documents = await Promise.all(names.map((name) => loadDocument(data, `${folder}/documents/${name}`)));
  if (documents.length === 0) throw new ConfigError(`${data.place}/${folder}/documents holds no documents.`);
  return documents.sort((a, b) => (a.id < b.id ? -1 : 1));
}

async function loadDocument(data: DataFolder, path: string): Promise<KnowledgeDocument> {
  const fields = parsed(await data.read(path));
  if (
    typeof fields?.['id'] !== 'string' ||
    typeof fields['title'] !== 'string' ||
    typeof fields['content'] !== 'string'
  )
    throw new ConfigError(
      `${data.place}/${path} is no document: it needs id, title and content. Fetch the data again.`,
    );
  return { id: fields['id'], title: fields['title'], content: fields['content'] };
}

function parsed(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? 'null');
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined; // told by the caller, who knows the file
  }
}
