import type { GuardContext } from '../../core/seams.js';
import type { ToolRef } from '../../core/tool.js';
import { PASS, refuse, type ToolGuard } from './guard-answer.js';

/** What the subject of this run was granted. */
export type ScopesOf = (ctx: GuardContext) => readonly string[];

/** Allows every tool. */
export const EXECUTE_SCOPE = 'tools:execute';

export function scopesGuard(scopesOf: ScopesOf): ToolGuard {
  return {
    name: 'scopes',
    check({ tool }, ctx) {
      const granted = new Set(scopesOf(ctx));
      const enough = [EXECUTE_SCOPE, ...ownScopes(tool)];
      if (enough.some((scope) => granted.has(scope))) return PASS;
      return refuse(
        'scopes',
        `${tool.name} needs one of the scopes ${enough.join(', ')}, and this user has none of them.`,
      );
    },
  };
}

function ownScopes({ name, scopes }: ToolRef): readonly string[] {
  return [`tools:${name}`, ...(scopes ?? [])];
}
