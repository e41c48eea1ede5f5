import { dirname, isAbsolute, resolve } from 'node:path';
import { ConfigError } from '../../core/errors.js';
import { loadModule, placed } from './load-module.js';

/** What `./file.js#name` in a YAML file stands for: an export of a module beside it, `default` where no name is given. */
export interface ReferredExport {
  readonly file: string;
  readonly name: string;
  readonly value: unknown;
}

/** `place` is the `file:line` that the reference stands in. */
export async function referredExport(reference: unknown, yamlFile: string, place: string): Promise<ReferredExport> {
  const [path = '', name = 'default'] = typeof reference === 'string' ? reference.split('#') : [];
  if (!(path.startsWith('./') || path.startsWith('../')) || isAbsolute(path) || name === '') {
    throw new ConfigError(
      `${place}: ${JSON.stringify(reference)} is not a reference to a module. Write ./file.js#export, relative to the folder of this file.`,
    );
  }
  const file = resolve(dirname(yamlFile), path);
  const exports = await loadModule(file).catch((error: unknown) => {
    throw placed(place, error);
  });
  if (Object.hasOwn(exports, name)) return { file, name, value: exports[name] };
  const known = Object.keys(exports).sort().join(', ') || 'nothing';
  throw new ConfigError(`${place}: ${file} has no export "${name}". It exports ${known}.`);
}
