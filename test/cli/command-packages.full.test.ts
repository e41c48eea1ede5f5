import { describe, expect, it } from 'vitest';
import { projectWith } from './project-with-package.js';

const project = (module: string) => projectWith('flyball-greeter', 'commands', module);

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
