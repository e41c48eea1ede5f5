import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { newDesk } from './flyball.js';

/** A project that depends on a package which adds a command. */
function project(module: string) {
  const here = newDesk();
  onTestFinished(() => here.clear());
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(here.folder, path)), { recursive: true });
    writeFileSync(join(here.folder, path), text);
  };
  put('package.json', JSON.stringify({ dependencies: { 'flyball-greeter': '1.0.0' } }));
  const manifest = { name: 'flyball-greeter', type: 'module', flyball: { commands: './commands.js' } };
  put('node_modules/flyball-greeter/package.json', JSON.stringify(manifest));
  put('node_modules/flyball-greeter/commands.js', module);
  return here;
}

const GREET = `
import { plainCommand } from ${JSON.stringify(import.meta.resolve('../../packages/flyball/dist/command.js'))};
export const commands = {
  greet: async () => (perform) =>
    plainCommand('greet', 'Greet somebody', ['flyball greet'])
      .argument('<name>')
      .action((name, options) => perform(options, {}, async ({ screen }) => { screen.line('hello ' + name); return 0; })),
};`;

describe('the commands of a package that the project depends on', () => {
  it('are called and listed like our own [R9-HOUSE-COMMANDS]', async () => {
    const here = project(GREET);
    expect(await here.flyball('greet', 'ada')).toMatchObject({ code: 0, out: 'hello ada\n' });
    expect((await here.flyball('--help')).out).toMatch(/^ +greet .*Greet somebody$/m);
  });

  it('are named with their package where they cannot be loaded [R9-HOUSE-COMMANDS]', async () => {
    const here = project("import './gone.js';");
    const { code, error } = await here.flyball('greet', 'ada');
    expect(code).toBe(2);
    expect(error).toMatch(/The commands of the package flyball-greeter cannot be loaded from .*gone\.js/);
  });

  it('are asked for in a sentence where the module has none [R9-HOUSE-COMMANDS]', async () => {
    const here = project('export const other = 1;');
    const { code, error } = await here.flyball('greet', 'ada');
    expect(code).toBe(2);
    expect(error).toContain('flyball-greeter');
    expect(error).toContain('exports no "commands"');
    expect(await here.flyball('--help')).toMatchObject({ code: 0, error: '' });
  });
});
