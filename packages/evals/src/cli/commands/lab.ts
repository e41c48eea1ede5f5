import { Command } from 'commander';
import type { MakeCommand, Perform } from 'flyball/internal';

const ABOUT =
  'Check patterns against what theory says of them, on simulated models with known parameters. Needs no API key and no network, except for calibrate.';

const HELP = `
Examples:
  $ flyball lab run                              every claim with 300 items
  $ flyball lab run --claims R17,O5 --items 1000
  $ flyball lab report --items 5000 --out laboratory.md
  $ flyball lab calibrate --model openai/gpt-4.1-mini --calls 200`;

/** Without its commands it can only be listed. */
export function labCommand(perform: Perform, commands: readonly MakeCommand[] = []): Command {
  const command = new Command('lab')
    .summary('Check patterns on simulated models')
    .description(ABOUT)
    .addHelpText('after', HELP);
  command.helpCommand(false);
  for (const make of commands) command.addCommand(make(perform));
  return command;
}
