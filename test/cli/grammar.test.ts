import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { commandsFor } from '../../packages/flyball/src/cli/commands.js';
import { buildProgram } from '../../packages/flyball/src/cli/program.js';
import { KNOWN } from '../../packages/flyball/src/cli/see-also.js';
import { flyball } from './in-process.js';

const written: string[] = [];
const streams = { out: { write: (text: string) => written.push(text) }, error: { write: () => true }, env: {} };
const program = buildProgram(async () => undefined, streams, await commandsFor(['', 'evals', 'lab']));
const leaves = (command: Command): readonly Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);
const helpOf = (command: Command): string => {
  written.length = 0;
  command.outputHelp();
  return written.join('');
};
const nameOf = (command: Command): string =>
  command.parent === null || command.parent === program ? command.name() : `${command.parent.name()} ${command.name()}`;

describe('every command', () => {
  it('takes --json [R6-CLI-GRAMMAR] [R2-CLI-OUTPUT]', () => {
    const without = leaves(program).filter(({ options }) => !options.some(({ long }) => long === '--json'));
    expect(without.map(nameOf)).toEqual([]);
  });

  it.each(leaves(program).map((command) => [nameOf(command), command] as const))(
    'explains itself: flyball %s --help has usage, description, options, examples, environment, exit codes and what to see next [R6-CLI-GRAMMAR]',
    (name, command) => {
      const help = helpOf(command);
      expect(help).toMatch(new RegExp(`^Usage: flyball ${name}`));
      for (const part of [
        '\nOptions:',
        '\nExamples:\n  $ flyball',
        '\nEnvironment:',
        '\nExit codes:',
        '\nSee also: flyball',
      ]) {
        if (part.startsWith('\nExamples')) expect(help).toMatch(/\nExamples:\n {2}\$ /);
        else if (part.startsWith('\nSee')) expect(help).toMatch(/\nSee also: \S/);
        else expect(help).toContain(part);
      }
      expect(help.match(/\nEnvironment:/g)).toHaveLength(1);
      for (const { description, long } of command.options) expect(description, `${name} ${long}`).not.toBe('');
      expect(command.summary() || command.description()).not.toBe('');
    },
  );

  it('ends its help once, also where it is a group of commands [R6-CLI-GRAMMAR]', () => {
    const groups = program.commands.filter(({ commands }) => commands.length > 0);
    for (const group of groups) expect(helpOf(group).match(/\nSee also:/g), group.name()).toHaveLength(1);
  });

  it('says where to go from it, and nothing that is not there [R6-CLI-GRAMMAR]', () => {
    expect([...KNOWN].sort()).toEqual(program.commands.map((command) => command.name()).sort());
  });
});

it('tells a misspelled option and what was meant on one line [R6-CLI-GRAMMAR]', async () => {
  const { code, error } = await flyball(['runs', '--statu', 'done']);
  expect(code).toBe(2);
  expect(error).toMatch(/^flyball: unknown option '--statu' \(Did you mean --status\?\)\n {2}Run flyball runs --help/);
});
