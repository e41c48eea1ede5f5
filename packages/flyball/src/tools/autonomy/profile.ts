import { ConfigError } from '../../core/errors.js';
import type { CommandRules } from '../rules/commands.js';
import type { DomainRules } from '../rules/domains.js';
import type { PathRules } from '../rules/paths.js';
import type { StopCondition } from './stop-conditions.js';

/** Where autonomy is asked. `tool-calls` is the number of calls, which belongs to no single kind of tool. */
export const ENFORCEMENT_POINTS = {
  'EF-01': 'file read',
  'EF-02': 'file write',
  'EF-03': 'command',
  'EF-04': 'network',
  'EF-05': 'iteration',
  'EF-06': 'duration',
  'EF-07': 'files modified',
  'EF-08': 'lines changed',
  'tool-calls': 'tool calls',
} as const;
/** A point at which an autonomy budget is enforced. */
export type EnforcementPoint = keyof typeof ENFORCEMENT_POINTS;

/** What happens beyond a limit or a rule: the call is refused, let pass and told, or left to a person. */
export type EnforcementMode = 'block' | 'warn' | 'escalate';

/** The limits of an autonomy budget. */
export interface AutonomyLimits {
  readonly iterations: number;
  readonly minutes: number;
  readonly toolCalls: number;
  readonly filesChanged: number;
  readonly linesChanged: number;
}

/** How far an agent may go before somebody is told or asked. Holds no counters: the run's budget does. */
export interface AutonomyProfile {
  readonly limits: AutonomyLimits;
  /** From this part of a limit on, the answer is a warning. */
  readonly warnAt: number;
  readonly modes: Readonly<Record<EnforcementPoint, EnforcementMode>>;
  /** Without rules, EF-01 to EF-04 have nothing to object to. */
  readonly paths?: PathRules;
  readonly commands?: CommandRules;
  readonly domains?: DomainRules;
  readonly stopWhen: readonly StopCondition[];
}

/** Settings of an autonomy budget; what is omitted gets defaults. */
export interface AutonomySettings extends Partial<Omit<AutonomyProfile, 'limits' | 'modes'>> {
  readonly limits?: Partial<AutonomyLimits>;
  readonly modes?: Partial<Record<EnforcementPoint, EnforcementMode>>;
}

/** Applies where none is given, and to everything that a given one leaves open. */
export const DEFAULT_AUTONOMY: AutonomyProfile = {
  limits: { iterations: 100, minutes: 60, toolCalls: 200, filesChanged: 50, linesChanged: 5000 },
  warnAt: 0.8,
  modes: {
    'EF-01': 'block',
    'EF-02': 'block',
    'EF-03': 'block',
    'EF-04': 'block',
    'EF-05': 'block',
    'EF-06': 'block',
    'EF-07': 'block',
    'EF-08': 'block',
    'tool-calls': 'block',
  },
  stopWhen: [],
};

const MODES: readonly unknown[] = ['block', 'warn', 'escalate'] satisfies readonly EnforcementMode[];

/** A complete autonomy profile: the given settings, and defaults for the rest. */
export function autonomyProfile(settings: AutonomySettings = {}): AutonomyProfile {
  const profile = {
    ...DEFAULT_AUTONOMY,
    ...settings,
    limits: { ...DEFAULT_AUTONOMY.limits, ...settings.limits },
    modes: { ...DEFAULT_AUTONOMY.modes, ...settings.modes },
  };
  for (const [name, limit] of Object.entries(profile.limits)) {
    if (!(name in DEFAULT_AUTONOMY.limits)) throw new ConfigError(`Autonomy: unknown limit "${name}".`);
    if (!(Number.isFinite(limit) && limit >= 0))
      throw new ConfigError(`Autonomy: the limit ${name} must be a finite number of at least 0, got ${String(limit)}.`);
  }
  for (const [point, mode] of Object.entries(profile.modes)) {
    if (!(point in ENFORCEMENT_POINTS)) throw new ConfigError(`Autonomy: unknown point "${point}".`);
    if (!MODES.includes(mode))
      throw new ConfigError(`Autonomy: "${String(mode)}" is not a mode; use ${MODES.join(', ')}.`);
  }
  if (!(profile.warnAt > 0 && profile.warnAt <= 1))
    throw new ConfigError(`Autonomy: warnAt must be above 0 and at most 1, got ${String(profile.warnAt)}.`);
  return profile;
}
