import { ConfigError } from '../../core/errors.js';
import type { Session } from '../../core/session.js';

/** Whoever judges, rewrites or answers from what it is given may not fetch anything itself, and says it in its own words. */
export function checkPlain(who: string, sessions: Readonly<Record<string, Session>>): void {
  for (const [role, { name, tools, output }] of Object.entries(sessions))
    if (tools !== undefined || output !== undefined)
      throw new ConfigError(`${who} needs a ${role} without tools and without an output schema: "${name}" has one.`);
}
