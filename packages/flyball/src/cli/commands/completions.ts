import { Argument, type Command } from 'commander';
import { type CommonOptions, type Perform, plainCommand } from '../command.js';
import { completionScript, SHELLS, type Shell } from '../completion/scripts.js';
import { EXIT } from '../exit-codes.js';

const ABOUT =
  'Print a completion script for a shell. It completes commands, options, their values, and the runs in the database. ' +
  'Load the output in the startup file of your shell.';

export function completionsCommand(perform: Perform): Command {
  return plainCommand('completions', ABOUT, [
    "echo 'source <(flyball completions bash)' >> ~/.bashrc",
    'flyball completions zsh > ~/.zfunc/_flyball    with ~/.zfunc in fpath',
    'flyball completions fish > ~/.config/fish/completions/flyball.fish',
  ])
    .addArgument(new Argument('<shell>', 'which shell').choices(SHELLS))
    .action((shell: Shell, options: CommonOptions) =>
      perform(options, {}, async ({ screen }) => {
        const script = completionScript(shell);
        screen.data({ kind: 'completions', shell, script });
        screen.line(script.trimEnd());
        return EXIT.ok;
      }),
    );
}
