import { parseCommandLine, type SimpleCommand } from './command-line.js';
import { DEFAULT_FEATURES, type ShellFeature } from './commands-features.js';
import { flagsIn, isFlag } from './commands-flags.js';
import { gitCall, gitChange } from './commands-git.js';
import { hasHatches, hatchProblem } from './commands-hatch-check.js';
import { familyOf, launcherReason, needsSubcommands } from './commands-launchers.js';
import { argumentProblem, targetPathProblem } from './commands-paths.js';
import { isPlainReader } from './commands-plain-readers.js';
import { PROGRAM_FOLDERS, resolveProgram } from './commands-programs.js';
import { openGit, vectorOf } from './commands-vectors.js';
import type { Word } from './commands-words.js';
import type { PathRules } from './paths.js';
import { OK, type RuleVerdict, refused } from './rule-verdict.js';

/** Which programs may be run, and how. Plain data, so that a policy file can hold it. */
export interface CommandRules {
  /** By name. What is not listed is refused. */
  readonly programs: Readonly<Record<string, ProgramRule>>;
  /** What of a shell's language may be used; pipes only, where it is absent. */
  readonly features?: readonly ShellFeature[];
  /** Where a program given by its path may lie; the system's folders, where it is absent. */
  readonly folders?: readonly string[];
  /** Holds for arguments that look like paths. Names only: a link can lead elsewhere, and a sandbox has to hold that. */
  readonly paths?: PathRules;
}

/** Which subcommands and flags of a program are allowed. */
export interface ProgramRule {
  /** It changes nothing, whatever its other arguments. */
  readonly readOnly?: boolean;
  /** The only first words it may be given. */
  readonly subcommands?: readonly string[];
  readonly denyFlags?: readonly string[];
  /** Needs a person when all words of an entry occur: `push --force`. */
  readonly approve?: readonly string[];
  /**
   * Known ways out that are opened on purpose: a flag such as `-exec`, a git subcommand, or `programs` for one whose
   * job is to run others.
   */
  readonly permit?: readonly string[];
}

/** A command as it may be run. */
export type CommandVerdict =
  | {
      readonly ok: true;
      /** The argument vectors of a pipeline; empty when only a shell can run it. */
      readonly stages: readonly (readonly string[])[];
      readonly features: ReadonlySet<ShellFeature>;
      readonly readOnly: boolean;
      /** Why a person has to agree first. */
      readonly approval?: string;
    }
  | { readonly ok: false; readonly why: string };

const MAX_WORDS = 1000;
const MAX_CHARACTERS = 100_000;

/** Whether rules allow a command line. It is parsed without a shell, and every command in it is checked. */
export function checkCommand(rules: CommandRules, command: string | readonly string[]): RuleVerdict {
  const verdict = judgeCommand(rules, command);
  return verdict.ok ? OK : refused(verdict.why);
}

/** Whether rules allow a command, and why not. */
export function judgeCommand(rules: CommandRules, command: string | readonly string[]): CommandVerdict {
  const line =
    typeof command === 'string'
      ? parseCommandLine(command, rules.features ?? DEFAULT_FEATURES)
      : { ok: true as const, commands: [plainCommand(command)], features: new Set<ShellFeature>() };
  if (!line.ok) return line;
  const why = line.commands.map((each) => problemOf(rules, each)).find((problem) => problem !== undefined);
  if (why !== undefined) return { ok: false, why };
  const asks = line.commands.map((each) => approvalOf(rules, each)).find((reason) => reason !== undefined);
  const shell = [...line.features].some((feature) => feature !== 'pipe');
  const open = shell
    ? line.commands.map((each) => openGit(rules, each)).find((problem) => problem !== undefined)
    : undefined;
  if (open !== undefined) return { ok: false, why: open };
  return {
    ok: true,
    stages: shell ? [] : line.commands.map((each) => vectorOf(rules, each)),
    features: line.features,
    readOnly: line.commands.every((each) => isReadOnly(rules, each)),
    ...(asks === undefined ? {} : { approval: asks }),
  };
}

/** At least a program: a vector without one would pass for a line that only sets variables. */
function plainCommand(words: readonly string[]): SimpleCommand {
  return {
    assignments: [],
    words: (words.length === 0 ? [''] : words).map((text) => ({ text, opaque: false })),
    redirections: [],
  };
}

function problemOf(rules: CommandRules, command: SimpleCommand): string | undefined {
  return variableProblem(command) ?? programProblem(rules, command) ?? targetProblem(rules, command);
}

function variableProblem({ assignments }: SimpleCommand): string | undefined {
  const variable = assignments.find(({ text }) => !/^[a-z]\w*=/.test(text));
  if (variable === undefined) return undefined;
  return `${variable.text.split('=', 1)[0]} may not be set: variables in capitals change what programs do and load.`;
}

/** Assignments and redirections can stand alone; then there is no program to judge. */
function programProblem(rules: CommandRules, { words }: SimpleCommand): string | undefined {
  const [program, ...args] = words;
  if (program === undefined) return undefined;
  if (program.opaque) return 'The name of the program must be written out, so that it can be checked.';
  const resolved = resolveProgram(program.text, rules.programs, rules.folders ?? PROGRAM_FOLDERS);
  if (!resolved.ok) return resolved.why;
  const rule = rules.programs[resolved.name] ?? {};
  const texts = args.map(({ text }) => text);
  return (
    wordProblem(args) ??
    ruleProblem(resolved.name, rule, args) ??
    (rules.paths === undefined ? undefined : argumentProblem(rules.paths, resolved.name, texts))
  );
}

function targetProblem({ paths }: CommandRules, { redirections }: SimpleCommand): string | undefined {
  const targets = redirections.map(({ target }) => target);
  if (targets.some(({ opaque }) => opaque)) return 'The target of a redirection must be written out.';
  const problems = redirections.map(({ writes, target }) =>
    paths === undefined ? undefined : targetPathProblem(paths, target.text, writes ? 'write' : 'read'),
  );
  return wordProblem(targets) ?? problems.find((problem) => problem !== undefined);
}

/** What no program can be given: the kernel, or the person who approves it, would see something else. */
function wordProblem(words: readonly Word[]): string | undefined {
  if (words.length > MAX_WORDS) return `A command may have at most ${MAX_WORDS} words.`;
  const texts = words.map(({ text }) => text);
  if (texts.join(' ').length > MAX_CHARACTERS) return `A command may have at most ${MAX_CHARACTERS} characters.`;
  if (texts.some((text) => text.includes('\0')))
    return 'An argument contains a zero byte, where the kernel would end it.';
  if (texts.some((text) => /[\u202a-\u202e\u2066-\u2069]/.test(text)))
    return 'An argument contains characters that reverse the direction of text, so that it reads differently than it is.';
  return undefined;
}

function ruleProblem(name: string, rule: ProgramRule, args: readonly Word[]): string | undefined {
  const permit = rule.permit ?? [];
  const launches = launcherReason(name);
  if (launches !== undefined && !permit.includes('programs'))
    return `${name} is not allowed: it ${launches}, which no rule about ${name} alone can bound.`;
  if (rule.subcommands === undefined && needsSubcommands(name) && !permit.includes('programs'))
    return `${name} is not allowed by its name alone: some of its subcommands run other programs. Allow the ones you need, such as "${name} status".`;
  const isBounded =
    hasHatches(name) || rule.subcommands !== undefined || rule.denyFlags !== undefined || rule.approve !== undefined;
  if (isBounded && args.some(({ opaque }) => opaque))
    return `An argument of ${name} is only known once it is expanded, so it cannot be checked. Write it out.`;
  const texts = args.map(({ text }) => text);
  const denied = flagsIn(texts).find((flag) => rule.denyFlags?.some((forbidden) => isFlag(flag, forbidden)));
  if (denied !== undefined) return `${name} may not be given ${denied}.`;
  return (
    unknownProblem(name, texts, permit) ?? hatchProblem(name, texts, permit) ?? subcommandProblem(name, rule, texts)
  );
}

/** By these names, programs that nobody has read the manual of run others, or load code. */
const USUAL_WAYS_OUT =
  '--exec --command --shell --pager --editor --rsh --ssh-command --to-command --use-compress-program --checkpoint-action --plugin --eval --init-file --rcfile --config --hook'.split(
    ' ',
  );

/** A program without a table of its own, and not known to only read, may not be given what usually runs another one. */
function unknownProblem(name: string, args: readonly string[], permit: readonly string[]): string | undefined {
  if (hasHatches(name) || isPlainReader(name)) return undefined;
  const found = args
    .map((word) => word.split('=', 1)[0] ?? '')
    .find((flag) => USUAL_WAYS_OUT.includes(flag) && !permit.includes(flag));
  return found === undefined ? undefined : `${name} may not be given ${found}: with most programs it runs another one.`;
}

function subcommandProblem(name: string, rule: ProgramRule, args: readonly string[]): string | undefined {
  const call = familyOf(name) === 'git' ? gitCall(args) : undefined;
  if (call !== undefined && 'why' in call) return call.why;
  if (rule.readOnly === true && call !== undefined) {
    const change = gitChange(call);
    if (change !== undefined) return change;
  }
  const subcommand = call === undefined ? args[0] : call.subcommand;
  if (rule.subcommands === undefined || (subcommand !== undefined && rule.subcommands.includes(subcommand)))
    return undefined;
  return `${name} ${subcommand ?? 'alone'} is not allowed. Allowed are: ${rule.subcommands.map((each) => `${name} ${each}`).join(', ')}.`;
}

function isReadOnly(rules: CommandRules, { words, redirections }: SimpleCommand): boolean {
  const resolved = resolveProgram(words[0]?.text ?? '', rules.programs, rules.folders ?? PROGRAM_FOLDERS);
  const writes = redirections.some((each) => each.writes && each.target.text !== '/dev/null');
  return resolved.ok && rules.programs[resolved.name]?.readOnly === true && !writes;
}

function approvalOf(rules: CommandRules, { words }: SimpleCommand): string | undefined {
  const [program, ...rest] = words.map(({ text }) => text);
  const resolved = resolveProgram(program ?? '', rules.programs, rules.folders ?? PROGRAM_FOLDERS);
  const entries = resolved.ok ? (rules.programs[resolved.name]?.approve ?? []) : [];
  const flags = flagsIn(rest);
  const has = (wanted: string) =>
    wanted.startsWith('-') ? flags.some((flag) => isFlag(flag, wanted)) : rest.includes(wanted);
  const entry = entries.find((each) => each.split(' ').every(has));
  return entry === undefined ? undefined : `“${[program, ...rest].join(' ')}” needs approval: rules name “${entry}”.`;
}
