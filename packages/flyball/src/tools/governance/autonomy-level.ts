import { ConfigError } from '../../core/errors.js';
import type { GuardContext } from '../../core/seams.js';
import { destructiveCommand } from './destructive-commands.js';
import { escalate, type GuardAnswer, PASS, refuse, type ToolGuard } from './guard-answer.js';
import type { ProposedCall } from './proposed-call.js';

/**
 * How far an agent may go by itself. read-only: changes nothing. supervised: what cannot simply be repeated needs a
 * person. autonomous: only what is irreversible does, which is the run's own rule.
 */
export const AUTONOMY_LEVELS = ['read-only', 'supervised', 'autonomous'] as const;
/** How much an agent may do without asking. */
export type AutonomyLevel = (typeof AUTONOMY_LEVELS)[number];

/** One level for all runs, or the level of this one. */
export type LevelOf = AutonomyLevel | ((ctx: GuardContext) => AutonomyLevel);

/** Throws on a word that is no level: taken for one, it would let everything pass. */
export function levelIn(levelOf: LevelOf, ctx: GuardContext): AutonomyLevel {
  return checkedLevel(typeof levelOf === 'function' ? levelOf(ctx) : levelOf);
}

export function checkedLevel(level: string): AutonomyLevel {
  const known = AUTONOMY_LEVELS.find((name) => name === level);
  if (known === undefined)
    throw new ConfigError(`"${level}" is not an autonomy level. Choose one of ${AUTONOMY_LEVELS.join(', ')}.`);
  return known;
}

export function autonomyGuard(levelOf: LevelOf): ToolGuard {
  if (typeof levelOf === 'string') checkedLevel(levelOf);
  return { name: 'autonomy', check: (call, ctx) => judge(call, levelIn(levelOf, ctx)) };
}

function judge(call: ProposedCall, level: AutonomyLevel): GuardAnswer {
  switch (level) {
    case 'read-only': {
      const changes = changesSomething(call);
      if (changes === undefined) return PASS;
      return refuse('autonomy', `This agent may only read, and ${call.tool.name} ${changes}. Continue without it.`);
    }
    case 'supervised': {
      const reason = needsPerson(call);
      return reason === undefined
        ? PASS
        : escalate('autonomy', `${call.tool.name} ${reason} and the agent is supervised.`);
    }
    case 'autonomous':
      return PASS;
  }
}

function changesSomething(call: ProposedCall): string | undefined {
  if (call.class !== 'pure') return 'can change something';
  // a tool that calls itself pure and then names what it writes is believed in the second
  if (call.touch.writes.length > 0) return 'writes files';
  const command = firstDestructive(call);
  return command === undefined ? undefined : `runs a command that destroys (${command})`;
}

function needsPerson(call: ProposedCall): string | undefined {
  if (call.class === 'irreversible') return 'cannot be undone';
  if (call.class === 'undoable') return 'changes something that has to be undone by hand or by rollback';
  const command = firstDestructive(call);
  return command === undefined ? undefined : `runs a command that destroys (${command})`;
}

function firstDestructive({ touch }: ProposedCall): string | undefined {
  for (const command of touch.commands) {
    const found = destructiveCommand(command);
    if (found !== undefined) return found;
  }
  return undefined;
}
