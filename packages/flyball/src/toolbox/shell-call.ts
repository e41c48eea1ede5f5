import type { StandardResult, StandardSchema } from '../core/schema.js';
import { type CommandRules, judgeCommand } from '../tools/rules/commands.js';
import { DEFAULT_FEATURES, featureAdvice } from '../tools/rules/commands-features.js';

/** What a model asks the shell tool for: exactly one of the three. */
export type ShellCall =
  | { readonly argv: readonly string[] }
  | { readonly pipeline: readonly (readonly string[])[] }
  | { readonly command: string };

export const SHELL_INPUT = {
  type: 'object',
  properties: {
    argv: {
      type: 'array',
      items: { type: 'string' },
      description:
        'One command: the program and its arguments. Each element arrives exactly as written; no shell reads it.',
    },
    pipeline: {
      type: 'array',
      items: { type: 'array', items: { type: 'string' } },
      description: 'Several commands, each reading what the one before writes.',
    },
    command: {
      type: 'string',
      description: 'The same as one line, with quotes and pipes as in a shell. Everything else of a shell is refused.',
    },
  },
  additionalProperties: false,
} as const;

/** A call that rules allow, ready to run. */
export type JudgedCall =
  | {
      readonly ok: true;
      readonly stages: readonly (readonly string[])[];
      readonly readOnly: boolean;
      readonly approval?: string;
    }
  | { readonly ok: false; readonly why: string };

const MAX_STAGES = 10;

/** Judged before anybody is asked to approve it: a person should not read what will be refused anyway. */
export function shellInput(rules: CommandRules): StandardSchema<ShellCall> {
  const validate = (value: unknown): StandardResult<ShellCall> => {
    const call = readCall(value);
    if (typeof call === 'string') return { issues: [{ message: call }] };
    const judged = judgeCall(rules, call);
    return judged.ok ? { value: call } : { issues: [{ message: judged.why }] };
  };
  return { '~standard': { version: 1, vendor: 'flyball', validate } };
}

export function judgeCall(rules: CommandRules, call: ShellCall): JudgedCall {
  if ('command' in call) return judgeLine(rules, call.command);
  const stages = 'argv' in call ? [call.argv] : call.pipeline;
  if (stages.length > 1 && !(rules.features ?? DEFAULT_FEATURES).includes('pipe'))
    return { ok: false, why: featureAdvice('pipe') };
  if (stages.length > MAX_STAGES) return { ok: false, why: `A pipeline may have at most ${MAX_STAGES} commands.` };
  const verdicts = stages.map((words) => judgeCommand(rules, words));
  const refusal = verdicts.find((verdict) => !verdict.ok);
  if (refusal !== undefined && !refusal.ok) return refusal;
  const asks = verdicts.find((verdict) => verdict.ok && verdict.approval !== undefined);
  return {
    ok: true,
    stages: verdicts.flatMap((verdict) => (verdict.ok ? verdict.stages : [])),
    readOnly: verdicts.every((verdict) => verdict.ok && verdict.readOnly),
    ...(asks?.ok === true && asks.approval !== undefined ? { approval: asks.approval } : {}),
  };
}

/** What only a shell can do is done by one: rules allowed it, and every command in it was judged. */
function judgeLine(rules: CommandRules, line: string): JudgedCall {
  const verdict = judgeCommand(rules, line);
  if (!verdict.ok) return verdict;
  if (verdict.stages.length > MAX_STAGES)
    return { ok: false, why: `A pipeline may have at most ${MAX_STAGES} commands.` };
  return {
    ok: true,
    stages: verdict.stages.length > 0 ? verdict.stages : [['/bin/sh', '-c', line]],
    readOnly: verdict.readOnly,
    ...(verdict.approval === undefined ? {} : { approval: verdict.approval }),
  };
}

/** The call, or what is wrong with its form. */
function readCall(value: unknown): ShellCall | string {
  if (typeof value !== 'object' || value === null) return 'Give an object with argv, pipeline or command.';
  const given = Object.entries(value).filter(([, part]) => part !== undefined && part !== null);
  const [name, part] = given[0] ?? ['', undefined];
  if (given.length !== 1 || !['argv', 'pipeline', 'command'].includes(name))
    return 'Give exactly one of argv (a list of words), pipeline (a list of such lists) or command (one line).';
  if (name === 'command') return typeof part === 'string' ? { command: part } : 'command has to be text.';
  if (name === 'argv') return isWords(part) ? { argv: part } : 'argv has to be a list of words, the program first.';
  return Array.isArray(part) && part.length > 0 && part.every(isWords)
    ? { pipeline: part }
    : 'pipeline has to be a list of lists of words.';
}

function isWords(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === 'string');
}
