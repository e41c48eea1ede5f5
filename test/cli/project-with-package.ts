import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { newDesk } from './flyball.js';

/** A project that depends on a package whose module adds something to the command line: `what` names it in the manifest. */
export function projectWith(name: string, what: 'commands' | 'engines', module: string) {
  const here = newDesk();
  onTestFinished(() => here.clear());
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(here.folder, path)), { recursive: true });
    writeFileSync(join(here.folder, path), text);
  };
  put('package.json', JSON.stringify({ dependencies: { [name]: '1.0.0' } }));
  const manifest = { name, type: 'module', flyball: { [what]: './module.js' } };
  put(`node_modules/${name}/package.json`, JSON.stringify(manifest));
  put(`node_modules/${name}/module.js`, module);
  return here;
}
