import { type Budget, ConfigError } from 'flyball';
import { checkSlice } from 'flyball/internal';

/** What every trigger says: which agent it starts, for whom and within which bounds. */
export interface TriggerBase {
  /** Letters, digits, `_` and `-`. Names a trigger among all of a server, whatever its tenant. */
  readonly name: string;
  /** A served agent or workflow. */
  readonly agent: string;
  /** Lowers the bounds of the agent for these runs. */
  readonly budget?: Partial<Budget>;
  /** `default` where it is absent. */
  readonly tenant?: string;
}

/** A trigger that starts runs on a schedule. */
export interface CronTrigger extends TriggerBase {
  readonly kind: 'cron';
  /** Five fields, or six with seconds first; `@daily` and the like. */
  readonly schedule: string;
  /** An IANA name; UTC where it is absent, whatever the machine is set to. */
  readonly timezone: string;
  readonly input: unknown;
  /** What becomes of times at which no server was up: told and left out, or made up for by one run. */
  readonly missed: 'skip' | 'once';
}

/** Where in the body an input is found: JSON pointers by field, one for the whole input, or a function. */
export type WebhookMap =
  | string
  | Readonly<Record<string, string>>
  | ((body: unknown, headers: Pick<Headers, 'get'>) => unknown);

/** A trigger that starts runs by signed messages. */
export interface WebhookTrigger extends TriggerBase {
  readonly kind: 'webhook';
  /** Names of environment variables that hold the secrets. Any of them is accepted, so that one can follow another. */
  readonly secrets: readonly string[];
  /** `flyball`: signed with a time. `github`: as GitHub signs, without one. */
  readonly style: 'flyball' | 'github';
  /** The whole body where it is absent. */
  readonly map?: WebhookMap;
  /** How far the time of a signature may be from ours. */
  readonly toleranceMs: number;
}

/** Something that starts runs: a schedule or a webhook. */
export type Trigger = CronTrigger | WebhookTrigger;

/** Starts an agent at set times. */
export function cronTrigger(
  given: TriggerBase & {
    readonly schedule: string;
    readonly timezone?: string;
    readonly input?: unknown;
    readonly missed?: 'skip' | 'once';
  },
): CronTrigger {
  checkBase(given);
  const { timezone = 'UTC', input = null, missed = 'skip' } = given;
  if (missed !== 'skip' && missed !== 'once')
    throw new ConfigError(`Trigger "${given.name}": missed must be "skip" or "once", got "${String(missed)}".`);
  return { ...given, kind: 'cron', timezone, input, missed };
}

const TOLERANCE_MS = 300_000;

/** Starts an agent when a signed request arrives. */
export function webhookTrigger(
  given: TriggerBase & {
    /** The name of an environment variable, or several names while one secret follows another. */
    readonly secret: string | readonly string[];
    readonly style?: 'flyball' | 'github';
    readonly map?: WebhookMap;
    readonly toleranceMs?: number;
  },
): WebhookTrigger {
  checkBase(given);
  const { secret, style = 'flyball', toleranceMs = TOLERANCE_MS, ...rest } = given;
  const secrets = typeof secret === 'string' ? [secret] : [...secret];
  const refuse = (why: string): never => {
    throw new ConfigError(`Trigger "${given.name}": ${why}.`);
  };
  if (secrets.length === 0) refuse('a webhook needs a secret: name the environment variable that contains it');
  for (const name of secrets)
    if (!/^[A-Za-z_]\w*$/.test(name))
      refuse('secret must be the name of an environment variable, not the secret itself');
  if (style !== 'flyball' && style !== 'github') refuse(`style must be "flyball" or "github", got "${String(style)}"`);
  if (!(toleranceMs > 0 && toleranceMs <= 3_600_000)) refuse('toleranceMs must be above 0 and at most an hour');
  checkMap(given.map, refuse);
  return { ...rest, kind: 'webhook', secrets, style, toleranceMs };
}

function checkMap(map: WebhookMap | undefined, refuse: (why: string) => never): void {
  if (map === undefined || typeof map === 'function') return;
  for (const pointer of typeof map === 'string' ? [map] : Object.values(map))
    if (typeof pointer !== 'string' || !/^(\/|$)/.test(pointer))
      refuse(`"${String(pointer)}" is not a JSON pointer; it must start with "/", as in /issue/title`);
}

function checkBase({ name, agent, budget, tenant }: TriggerBase): void {
  if (typeof name !== 'string' || !/^[\w-]{1,100}$/.test(name))
    throw new ConfigError(
      `A trigger's name can only contain letters, digits, "_" and "-", got ${JSON.stringify(name)}.`,
    );
  for (const [what, value] of Object.entries({ agent, tenant: tenant ?? 'default' }))
    if (typeof value !== 'string' || value.trim() === '')
      throw new ConfigError(`Trigger "${name}": ${what} must be a name, got ${JSON.stringify(value)}.`);
  if (budget !== undefined) checkSlice(budget);
}
