/** What a shell would make of a command line beside splitting it into words. Each is refused unless rules allow it. */
export const SHELL_FEATURES = [
  'pipe',
  'and-or',
  'sequence',
  'background',
  'subshell',
  'substitution',
  'process-substitution',
  'variable',
  'assignment',
  'redirection',
  'here-document',
  'glob',
  'braces',
  'tilde',
  'history',
  'comment',
] as const;

/** A feature of shells that command rules can refuse. */
export type ShellFeature = (typeof SHELL_FEATURES)[number];

/** Allowed where rules do not say: every stage of a pipeline is checked by itself, and no shell is needed for it. */
export const DEFAULT_FEATURES: readonly ShellFeature[] = ['pipe'];

const ADVICE: Readonly<Record<ShellFeature, string>> = {
  pipe: 'Pipes (|) are not allowed here. Run the commands one after another.',
  'and-or': 'Chaining with && or || is not allowed. Make one call for each command and look at its exit code.',
  sequence: 'Several commands in one line (; or a line break) are not allowed. Make one call for each command.',
  background: 'Running in the background (&) is not allowed. Every command ends with its call.',
  subshell: 'Groups and subshells ( ) { } are not allowed. Make one call for each command.',
  substitution:
    'Command substitution $( ) and backticks are not allowed. Run the inner command first and use its output.',
  'process-substitution': 'Process substitution <( ) is not allowed. Run the inner command by itself.',
  variable: 'Variables ($NAME) are not expanded here. Write the value itself, or quote it with single quotes.',
  assignment: 'Setting variables before a command (NAME=value …) is not allowed.',
  redirection:
    'Redirection (<, >, >>, 2>&1) is not allowed. Output comes back by itself; use the file tools to write files.',
  'here-document': 'Here-documents (<<) and here-strings (<<<) are not allowed. Use the file tools to write text.',
  glob: 'Patterns (*, ?, [ ]) are not expanded here. Name the files, use find -name with a quoted pattern, or quote the character.',
  braces: 'Brace expansion ({a,b}) is not done here. Write each word out.',
  tilde: 'A leading ~ is not expanded here. Write the path out.',
  history: 'An unquoted ! is not allowed. Quote it if it is meant literally.',
  comment: 'Comments (#) are not allowed. Remove it, or quote the character if it is meant literally.',
};

export function featureAdvice(feature: ShellFeature): string {
  return ADVICE[feature];
}
