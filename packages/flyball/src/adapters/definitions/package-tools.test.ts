import { mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { toolRegistry } from 'flyball/tools';
import { describe, expect, it } from 'vitest';
import { definition, project } from '../../../../../test/definitions/project.js';
import { discoverPackages, toolsFromPackages } from './index.js';

const manifest = (name: string, more: object = {}) =>
  JSON.stringify({ name, version: '1.0.0', type: 'module', ...more });
const declaring = (name: string) =>
  manifest(name, { flyball: { tools: './dist/tools.js' }, exports: './dist/index.js' });

/** A project with three packages installed: two declare tools, one does not. */
function shop(more: Readonly<Record<string, string>> = {}): string {
  return project({
    'package.json': JSON.stringify({ dependencies: { '@shop/mail': '1', plain: '1', weather: '1' } }),
    'node_modules/weather/package.json': declaring('weather'),
    'node_modules/weather/dist/tools.js': `export const forecast = ${definition('forecast')};`,
    'node_modules/@shop/mail/package.json': declaring('@shop/mail'),
    'node_modules/@shop/mail/dist/tools.js': `export default [${definition('mail_send')}, ${definition('mail_read')}];`,
    'node_modules/plain/package.json': manifest('plain'),
    ...more,
  });
}

describe('tools in packages', () => {
  it('are found where a package declares them [R3-TOOL-DISCOVERY-PACKAGE]', async () => {
    const root = shop();
    const entries = await toolsFromPackages(['weather', '@shop/mail'], { from: root });
    expect(entries.map(({ tool, origin }) => [tool.name, origin])).toEqual([
      ['forecast', { kind: 'package', package: 'weather', file: join(root, 'node_modules/weather/dist/tools.js') }],
      [
        'mail_send',
        { kind: 'package', package: '@shop/mail', file: join(root, 'node_modules/@shop/mail/dist/tools.js') },
      ],
      ['mail_read', expect.objectContaining({ package: '@shop/mail' })],
    ]);
    expect(toolRegistry(entries).names()).toEqual(['forecast', 'mail_send', 'mail_read']);
  });

  it('are looked for among the dependencies of a project, without loading any [R3-TOOL-DISCOVERY-PACKAGE]', async () => {
    const root = shop({ 'node_modules/weather/dist/tools.js': "throw new Error('loaded');" });
    expect(await discoverPackages(root)).toEqual(['@shop/mail', 'weather']);
  });

  it('are found from a folder deeper in the project, and through links', async () => {
    const root = shop();
    mkdirSync(join(root, 'apps/one'), { recursive: true });
    renameSync(join(root, 'node_modules/weather'), join(root, 'store'));
    symlinkSync(join(root, 'store'), join(root, 'node_modules/weather'));
    const [entry] = await toolsFromPackages(['weather'], { from: join(root, 'apps/one') });
    expect(entry?.tool.name).toBe('forecast');
  });

  it('may be missing where the dependency is optional', async () => {
    const root = shop({
      'package.json': JSON.stringify({ dependencies: { weather: '1' }, optionalDependencies: { absent: '1' } }),
    });
    expect(await discoverPackages(root)).toEqual(['weather']);
  });
});

describe('a package is refused with a sentence', () => {
  const from = (name: string, more: Readonly<Record<string, string>> = {}) =>
    toolsFromPackages([name], { from: shop(more) });
  it.each<[string, () => Promise<unknown>, string]>([
    ['that is not installed', () => from('absent'), 'Run: npm install absent'],
    ['that declares no tools', () => from('plain'), 'The package plain declares no tools. Its package.json would say'],
    ['whose name is a path', () => from('../plain'), '"../plain" is not a valid package name'],
    [
      'whose module does not exist',
      () => from('lost', { 'node_modules/lost/package.json': declaring('lost') }),
      'The package lost declares its tools in ./dist/tools.js, which cannot be read',
    ],
    [
      'whose module is outside of it',
      () =>
        from('sly', {
          'node_modules/sly/package.json': manifest('sly', { flyball: { tools: '../../secret.mjs' } }),
          'secret.mjs': `export default ${definition('secret')};`,
        }),
      'which is outside of the package',
    ],
    [
      'whose declaration is no path',
      () => from('odd', { 'node_modules/odd/package.json': manifest('odd', { flyball: { tools: ['a.js'] } }) }),
      '"flyball.tools" must be the path of a module',
    ],
    [
      'whose package.json is no JSON',
      () => from('torn', { 'node_modules/torn/package.json': '{' }),
      'node_modules/torn/package.json: ',
    ],
    [
      'whose tool is unsound',
      () => from('weather', { 'node_modules/weather/dist/tools.js': `export default ${definition('a b')};` }),
      'node_modules/weather/dist/tools.js: "a b" is not a valid tool name',
    ],
    ['of a project without package.json', () => discoverPackages(project({})), 'so there are no packages to look at'],
    [
      'that a project depends on and that is not installed',
      () => discoverPackages(project({ 'package.json': '{"dependencies":{"absent":"1"}}' })),
      'The package absent is not installed for',
    ],
  ])('%s', async (_, act, sentence) => {
    const error = await act().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringContaining(sentence) });
  });

  it('that links its module to a file elsewhere', async () => {
    const root = shop({ 'secret.mjs': `export default ${definition('secret')};` });
    mkdirSync(join(root, 'node_modules/linked'));
    const other = project({ 'package.json': manifest('linked', { flyball: { tools: './tools.mjs' } }) });
    renameSync(join(other, 'package.json'), join(root, 'node_modules/linked/package.json'));
    symlinkSync(join(root, 'secret.mjs'), join(root, 'node_modules/linked/tools.mjs'));
    await expect(toolsFromPackages(['linked'], { from: root })).rejects.toThrow('outside of the package');
  });
});
