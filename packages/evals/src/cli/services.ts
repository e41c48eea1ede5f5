import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Embedder } from 'flyball';
import { ConfigError } from 'flyball';
import { energeticEmbedder } from 'flyball/adapters/embedder-energetic';
import { httpEmbedder } from 'flyball/adapters/embedder-http';
import { localSandbox } from 'flyball/adapters/sandbox-bubblewrap';
import { hashEmbedder } from 'flyball/retrieval';
import type { ModelSide } from '../experiment/sides.js';
import { vectorFolder } from '../files/vector-folder.js';
import { workspaceFolder } from '../files/workspace-folder.js';
import type { KnowledgeServices } from '../tau2/banking-knowledge/knowledge/index.js';
import { modelRating } from '../tau2/banking-knowledge/knowledge/model-rating.js';

const BY_MEANING = /dense|hybrid|embedding|alltools/i;
const BY_RATING = /_reranker/;
const BY_SHELL = /terminal|alltools/i;

/** What the retrieval configurations of an experiment need from outside: opened only where one of them needs it. */
export async function servicesFor(
  retrievals: readonly string[],
  { embedder, reranker }: { readonly embedder?: string | undefined; readonly reranker?: ModelSide | undefined },
  env: Readonly<Record<string, string | undefined>>,
): Promise<KnowledgeServices> {
  const rated = retrievals.find((name) => BY_RATING.test(name));
  if (rated !== undefined && reranker === undefined)
    throw new ConfigError(
      `${rated} ranks search results with a model. Set one with --reranker provider/model, or choose ${rated.replace('_reranker', '')}.`,
    );
  const needs = (what: RegExp) => retrievals.some((name) => what.test(name));
  return {
    now: () => Math.round(performance.now()),
    ...(needs(BY_MEANING) || embedder !== undefined
      ? {
          embedder: await embedderNamed(embedder ?? 'energetic', env),
          vectors: vectorFolder(resolve('.flyball/vectors')),
        }
      : {}),
    ...(reranker === undefined ? {} : { rate: modelRating(reranker.model, reranker.sampling) }),
    ...(needs(BY_SHELL) ? { sandbox: await localSandbox(), workspace: workspaceFolder() } : {}),
  };
}

/** `energetic`, `hash` (spelling only), `provider/model` of an OpenAI-compatible endpoint, or a folder with an ONNX model. */
async function embedderNamed(name: string, env: Readonly<Record<string, string | undefined>>): Promise<Embedder> {
  if (name === 'energetic') return loaded(energeticEmbedder());
  if (name === 'hash') return hashEmbedder();
  if (existsSync(resolve(name))) {
    const { transformersEmbedder } = await import('flyball/adapters/embedder-transformers');
    return transformersEmbedder({ folder: resolve(name) });
  }
  const [model, dimensions] = name.split('@');
  const baseUrl =
    env['FLYBALL_EMBEDDINGS_URL'] ?? (env['OPENAI_API_KEY'] === undefined ? undefined : 'https://api.openai.com/v1');
  if (!name.includes('/') || baseUrl === undefined || model === undefined)
    throw new ConfigError(
      `There is no embedder "${name}". Use energetic, hash, a folder with an ONNX model, or provider/model@dimensions with FLYBALL_EMBEDDINGS_URL or OPENAI_API_KEY set.`,
    );
  const apiKey = env['OPENAI_API_KEY'];
  return httpEmbedder({
    id: model,
    baseUrl,
    dimensions: Number(dimensions ?? 3072),
    ...(apiKey === undefined ? {} : { apiKey }),
  });
}

/** A package that is not installed is told now, and not by every simulation as a failure of its own. */
async function loaded(embedder: Embedder): Promise<Embedder> {
  await embedder.embed(['ready'], { as: 'query', signal: new AbortController().signal });
  return embedder;
}
