import { Command } from 'commander';
import type { ExitCode } from './exit-codes.js';
import type { Place } from './place.js';
import type { Screen } from './screen.js';

/** What every command is given. */
export interface Call {
  readonly screen: Screen;
  readonly place: Place;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What a command is about, noted while it runs so that an error can name it. */
export interface Subject {
  runId?: string;
}

/** The options that every command has. */
export interface CommonOptions {
  readonly db?: string;
  readonly json?: boolean;
}

/** Runs an action and keeps how it ended; made by the program, which knows the streams. */
export type Perform = (
  options: CommonOptions,
  subject: Subject,
  work: (call: Call) => Promise<ExitCode>,
) => Promise<void>;

/** A command for a program, which says how it is performed. */
export type MakeCommand = (perform: Perform) => Command;

/** A command with what all of them have: JSON, and examples in its help. */
export function plainCommand(signature: string, about: string, examples: readonly string[]): Command {
  const [name = '', ...words] = signature.split(' ');
  const command = new Command(name)
    .summary(about.split(/[.:](?: |$)/)[0] ?? about)
    .description(about)
    .option('--json', 'write JSON instead of text')
    .addHelpText('after', `\nExamples:\n${examples.map((line) => `  $ ${line}`).join('\n')}`);
  return words.length === 0 ? command : command.arguments(words.join(' '));
}

/** A command about runs, which are in a database. */
export function newCommand(signature: string, about: string, examples: readonly string[]): Command {
  return plainCommand(signature, about, examples).option(
    '--db <database>',
    'database file, or the address of a server such as postgres://user@host/name (default: FLYBALL_DB, db in the FLYBALL_CONFIG file, or .flyball/flyball.db)',
  );
}
