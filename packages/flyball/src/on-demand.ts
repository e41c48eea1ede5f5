import type { CreateModels, ModelsConfig, ModelsDescription } from './create-models.js';
import type { ModelRouter } from './models/router.js';
import type { CreateToolbox, Toolbox } from './open-toolbox.js';

/** Parts of the package that are loaded when they are first asked for: an agent without them starts quicker. */

/** A router over the built-in providers, with all models loaded that settings and environment name. */
export async function createModels(given: CreateModels): Promise<ModelRouter> {
  return (await import('./create-models.js')).createModels(given);
}

/** What is configured, for people: which role gets which model, and what a provider lacks. Holds no key. */
export async function describeModels(
  env: Readonly<Record<string, string | undefined>>,
  config?: ModelsConfig,
): Promise<ModelsDescription> {
  return (await import('./create-models.js')).describeModels(env, config);
}

/** The built-in tools over one folder, each within what `access` grants and nothing more. */
export async function createToolbox(given: CreateToolbox): Promise<Toolbox> {
  return (await import('./open-toolbox.js')).openToolbox(given);
}
