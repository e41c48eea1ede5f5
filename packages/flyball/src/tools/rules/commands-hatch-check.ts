import { flagsIn, isFlag, operandsIn } from './commands-flags.js';
import { gitCall, gitProblem } from './commands-git.js';
import { type ProgramTraits, TRAITS } from './commands-hatches.js';
import { familyOf } from './commands-launchers.js';
import { awkProblem, sedProblem, xxdProblem } from './commands-scripts.js';

const SCRIPTED: Readonly<Record<string, (args: readonly string[]) => string | undefined>> = {
  sed: sedProblem,
  awk: awkProblem,
  xxd: xxdProblem,
};
/** Names under which code comes from a stream and not from a file. */
const STREAM = /^(?:-|\/dev\/(?:stdin|fd\/\d+)|\/proc\/(?:self|thread-self|\d+)\/fd\/\d+)$/;

/** Does it matter for this program what its arguments are? */
export function hasHatches(name: string): boolean {
  const family = familyOf(name);
  return family === 'git' || Object.hasOwn(SCRIPTED, family) || Object.hasOwn(TRAITS, family);
}

/** Why these arguments make an allowed program do more than its name says. */
export function hatchProblem(name: string, args: readonly string[], permit: readonly string[]): string | undefined {
  const family = familyOf(name);
  if (family === 'git') {
    const call = gitCall(args);
    return 'why' in call ? call.why : gitProblem(call, permit);
  }
  const scripted = Object.hasOwn(SCRIPTED, family) ? SCRIPTED[family]?.(args) : undefined;
  if (scripted !== undefined) return scripted;
  const traits = Object.hasOwn(TRAITS, family) ? TRAITS[family] : undefined;
  if (traits === undefined) return undefined;
  return (
    flagProblem(name, traits, family === 'tar' ? dashed(args) : args, permit) ??
    interpreterProblem(name, traits, args, permit) ??
    operandProblem(name, traits, args)
  );
}

/** tar takes its first word for flags even without a dash, and then no letter holds a value. */
function dashed(args: readonly string[]): string[] {
  const [first = '', ...rest] = args;
  return first.startsWith('-') ? [...args] : [...[...first].map((letter) => `-${letter}`), ...rest];
}

function flagProblem(
  name: string,
  traits: ProgramTraits,
  args: readonly string[],
  permit: readonly string[],
): string | undefined {
  const whole = traits.wholeFlags?.split(' ') ?? [];
  const flags = flagsIn(args, traits).filter((flag) => !permit.includes(flag) && !whole.includes(flag));
  for (const { flags: forbidden, why } of traits.hatches ?? []) {
    const found = flags.find((flag) => forbidden.split(' ').some((each) => isFlag(flag, each)));
    if (found !== undefined) return `${name} may not be given ${found}: ${why}.`;
  }
  return undefined;
}

function interpreterProblem(
  name: string,
  { interpreter }: ProgramTraits,
  args: readonly string[],
  permit: readonly string[],
): string | undefined {
  if (interpreter === undefined) return undefined;
  const alone = interpreter.alone.split(' ');
  const known = [...alone, ...interpreter.flags.split(' '), ...permit];
  const at = args.findIndex((word) => !word.startsWith('-') || STREAM.test(word));
  const before = at < 0 ? args : args.slice(0, at);
  const odd = before.find((word) => !known.includes(word));
  if (odd !== undefined)
    return `${name} may not be given ${odd}: code must be in a file that can be checked, and nothing else may be loaded.`;
  const script = args[at];
  if (script === undefined ? !before.some((word) => alone.includes(word)) : STREAM.test(script))
    return `${name} may not read its code from standard input. Name the file of the script.`;
  return undefined;
}

function operandProblem(name: string, traits: ProgramTraits, args: readonly string[]): string | undefined {
  for (const { pattern, why } of traits.values ?? []) {
    const found = args.find((word) => pattern.test(word));
    if (found !== undefined) return `${name} may not be given “${found}”: ${why}.`;
  }
  const operands = operandsIn(args, traits);
  const odd = operands.find((word) => traits.operands?.pattern.test(word) === false);
  if (odd !== undefined) return `${name} may not be given “${odd}”: ${traits.operands?.why}.`;
  if (traits.maxOperands === undefined || operands.length <= traits.maxOperands.count) return undefined;
  return `${name} may not be given “${operands.at(-1)}”: ${traits.maxOperands.why}.`;
}
