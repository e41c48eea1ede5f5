/**
 * Writes the bill of materials of the packages: what an installation without development tools brings along, as npm
 * knows it from the lock file. The same lock file gives the same text in CycloneDX; SPDX wants a time and a name of its own in each.
 *
 *   node scripts/sbom.mjs [--format cyclonedx|spdx] [--out sbom.json]
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './files.mjs';
import { PUBLISHED, TAKEN_IN } from './packages.mjs';

const { values } = parseArgs({
  options: { format: { type: 'string', default: 'cyclonedx' }, out: { type: 'string' } },
});
if (!['cyclonedx', 'spdx'].includes(values.format)) {
  process.stderr.write(`There is no format "${values.format}". Choose cyclonedx or spdx.\n`);
  process.exit(2);
}

const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;

/**
 * Where Node finds a package from another one: in its own folder first, then further up.
 * @param {string} from @param {string} name @returns {string | undefined}
 */
function found(from, name) {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('node_modules/') - 1))) {
    const path = `${at === '' ? '' : `${at}/`}node_modules/${name}`;
    if (lock[path] !== undefined) return path;
    if (at === '') return undefined; // optional, and not installed
  }
}

/**
 * Everything that our dependencies and optional packages bring along. npm's own filter goes by marks in the lock file and
 * leaves out what a development tool needs as well.
 */
function broughtAlong() {
  const waiting = TAKEN_IN.map((name) => found('', name));
  for (const folder of PUBLISHED) {
    const path = `packages/${folder}`;
    const { dependencies, optionalDependencies, peerDependencies } = lock[path];
    const names = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
    waiting.push(...names.map((name) => found(path, name)));
  }
  const kept = new Set();
  for (let path = waiting.pop(); path !== undefined || waiting.length > 0; path = waiting.pop()) {
    if (path === undefined || kept.has(path) || lock[path].link) continue; // a link is one of our own packages
    kept.add(path);
    const { dependencies: own, optionalDependencies: more } = lock[path];
    waiting.push(...Object.keys({ ...own, ...more }).map((name) => found(path, name)));
  }
  return new Set(
    [...kept].map((path) => `${path.slice(path.lastIndexOf('node_modules/') + 13)}@${lock[path].version}`),
  );
}

const made = execFileSync(
  'npm',
  ['sbom', '--sbom-format', values.format, '--package-lock-only', '--sbom-type', 'library'],
  { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, stdio: ['ignore', 'pipe', 'ignore'] },
);
const kept = broughtAlong();
const bill = values.format === 'spdx' ? spdx(JSON.parse(made)) : cycloneDx(JSON.parse(made));

/** @typedef {{ 'bom-ref': string, name: string, version: string }} Component */
/** @typedef {{ ref: string, dependsOn: string[] }} Dependency */
/** @typedef {{ SPDXID: string, name: string, versionInfo: string }} Package */
/** @typedef {{ spdxElementId: string, relatedSpdxElement: string }} Relationship */

/** @param {{ serialNumber: string, components: Component[], dependencies: Dependency[], metadata: { component: Component, timestamp: string } }} bill */
function cycloneDx(bill) {
  const { serialNumber: _, ...given } = bill;
  const components = given.components.filter(({ name, version }) => kept.has(`${name}@${version}`));
  const refs = new Set([given.metadata.component['bom-ref'], ...components.map((one) => one['bom-ref'])]);
  const dependencies = given.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((on) => refs.has(on)) }));
  const { timestamp: __, component, ...metadata } = given.metadata;
  // npm calls it by the folder that it is in
  return {
    ...given,
    metadata: { ...metadata, component: { ...component, name: 'flyball' } },
    components,
    dependencies,
  };
}

/** @param {{ SPDXID: string, documentDescribes: string[], packages: Package[], relationships: Relationship[] }} given */
function spdx(given) {
  const isOurs = (/** @type {Package} */ { SPDXID }) => given.documentDescribes.includes(SPDXID);
  const packages = given.packages.filter((one) => isOurs(one) || kept.has(`${one.name}@${one.versionInfo}`));
  const ids = new Set([given.SPDXID, ...packages.map(({ SPDXID }) => SPDXID)]);
  const relationships = given.relationships.filter(
    ({ spdxElementId, relatedSpdxElement }) => ids.has(spdxElementId) && ids.has(relatedSpdxElement),
  );
  return { ...given, packages, relationships };
}

const text = `${JSON.stringify(bill, null, 2)}\n`;
if (values.out === undefined) process.stdout.write(text);
else writeFileSync(values.out, text);
