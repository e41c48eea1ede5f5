import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandsFor } from '../../packages/flyball/src/cli/commands.js';
import { EXIT, EXIT_MEANINGS } from '../../packages/flyball/src/cli/exit-codes.js';
import { buildProgram } from '../../packages/flyball/src/cli/program.js';
import { filesUnder, root } from '../../scripts/files.mjs';

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const nowhere = { out: { write: () => undefined }, error: { write: () => undefined }, env: {} };
const program = buildProgram(async () => undefined, nowhere, await commandsFor([]));

describe('docs/cli.md', () => {
  it('explains every exit code in the words of the help [R2-CLI-EXIT-CODES]', () => {
    const documented = [...read('docs/cli.md').matchAll(/^\| (\d+) \| (.+) \|$/gm)].map((row) => [
      Number(row[1]),
      row[2],
    ]);
    expect(documented).toEqual(EXIT_MEANINGS);
    expect(new Set(EXIT_MEANINGS.map(([code]) => code))).toEqual(new Set(Object.values(EXIT)));
  });

  it('lists every command, with its arguments', () => {
    const documented = [...read('docs/cli.md').matchAll(/^\| `flyball ([^`]+)` \|/gm)].map((row) => row[1]);
    const actual = program.commands.map((command) =>
      [
        command.name(),
        ...command.registeredArguments.map((word) => (word.required ? `<${word.name()}>` : `[${word.name()}]`)),
      ].join(' '),
    );
    expect(documented).toEqual(actual);
  });

  it.each(program.commands.map((command) => [command.name(), command] as const))(
    'has the options of %s',
    (name, command) => {
      const row = new RegExp(`^\\| \`flyball ${name}\\b.*$`, 'm').exec(read('docs/cli.md'))?.[0] ?? '';
      const everywhere = ['--db', '--json', '--no-wake', '--signal-id']; // told once for all commands that have them
      const own = command.options.map((option) => option.long ?? '').filter((option) => !everywhere.includes(option));
      for (const option of own) expect(row, option).toContain(option);
    },
  );
});

/** The options of a command, or of its subcommand with this name; undefined where there is no such command. */
async function optionsOf(name: string, word: string): Promise<ReadonlySet<string> | undefined> {
  if (!program.commands.some((command) => command.name() === name)) return undefined;
  const called = buildProgram(async () => undefined, nowhere, await commandsFor([name, word])).commands[0];
  const command = called?.commands.find((sub) => sub.name() === word) ?? called;
  return new Set(['--help', ...(command?.options ?? []).map(({ long }) => long ?? '')]);
}

describe('the documentation', () => {
  const pages = ['README.md', ...filesUnder('docs', /^docs\/[\w-]+\.md$/)];

  it.each(pages)('%s calls no command and no option that does not exist [R6-HTTP-ROUTES-LISTED]', async (page) => {
    const calls = read(page).matchAll(/(?:^|[`$ ])(?:npx )?flyball ([a-z]+)(?: ([a-z][a-z-]*))?\b([^`\n|#;&]*)/gm);
    const wrong: string[] = [];
    for (const [, name = '', word = '', rest = ''] of calls) {
      const options = [...rest.matchAll(/(?<= )--[a-z][a-z-]*/g)].map(([option]) => option);
      if (options.length === 0) continue; // in a sentence, the next word may be anything
      if (name === 'patterns' && word === 'show') continue; // its options are the parameters of the pattern
      const known = await optionsOf(name, word);
      wrong.push(
        ...options.filter((option) => known?.has(option) !== true).map((option) => `${name} ${word} ${option}`),
      );
    }
    expect(wrong).toEqual([]);
  });
});

it('docs/events.md explains every event that a journal can hold', () => {
  const types = [...read('packages/flyball/src/core/events.ts').matchAll(/readonly type: '([a-z-]+)'/g)].map(
    (match) => match[1] ?? '',
  );
  expect(types.length).toBeGreaterThan(25);
  const documented = read('docs/events.md');
  for (const type of types) expect(documented).toContain(`\`${type}\``);
});
