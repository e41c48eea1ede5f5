import type { CreateModels, ModelsConfig, ModelsDescription } from './create-models.js';
import type { ModelRouter } from './models/router.js';
import type { CreateToolbox, Toolbox } from './open-toolbox.js';

/** Parts of the package that are loaded when they are first asked for: an agent without them starts quicker. */

/** Creates models by name or role, and loads all models that the settings and environment variables name. */
export async function createModels(given: CreateModels): Promise<ModelRouter> {
  return (await import('./create-models.js')).createModels(given);
}

/** Describes the configuration: which role uses which model, and what a provider needs. Contains no API keys. */
export async function describeModels(
  env: Readonly<Record<string, string | undefined>>,
  config?: ModelsConfig,
): Promise<ModelsDescription> {
  return (await import('./create-models.js')).describeModels(env, config);
}

/** Creates the built-in tools for one folder. They can only use what `access` grants. */
export async function createToolbox(given: CreateToolbox): Promise<Toolbox> {
  return (await import('./open-toolbox.js')).openToolbox(given);
}
