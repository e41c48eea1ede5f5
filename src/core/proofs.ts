import type { Refused } from './ask-until.js';
import type { MadeCall } from './run.js';

/**
 * What proves a claim of an output: field → value → the tools whose completed call it needs, all of them. `!tool` needs
 * that no call of it took place. The value `*` stands for any that is not null, false or empty.
 */
export type Proofs = Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;

/** What becomes of an output that still claims what the journal does not show after the last re-ask. */
export type WhenUnproven = 'fail' | 'degrade';

/**
 * What an output claims and the journal does not show, in words for a model or a person; undefined where all is proven.
 * A call counts when it gave a result, in this run and by this agent. Which arguments it had is not looked at.
 */
export function unprovenClaims(proofs: Proofs, output: unknown, calls: readonly MadeCall[]): string | undefined {
  if (typeof output !== 'object' || output === null) return undefined;
  const claims = Object.entries(proofs).flatMap(([field, values]) => {
    const said = (output as Readonly<Record<string, unknown>>)[field];
    const needed = needsOf(values, said).filter((need) => !isMet(need, calls));
    return needed.map((need) => `${field} says ${JSON.stringify(said)}, but ${factOf(need, calls)}`);
  });
  return claims.length === 0 ? undefined : `${claims.join('; ')}.`;
}

function needsOf(values: Proofs[string], said: unknown): readonly string[] {
  const saids = Array.isArray(said) ? (said as readonly unknown[]) : [said];
  const claimed = Object.entries(values).filter(([value]) =>
    saids.some((one) => (value === '*' ? isSaid(one) : one !== undefined && String(one) === value)),
  );
  return [...new Set(claimed.flatMap(([, tools]) => tools))];
}

function isSaid(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false && value !== '';
}

/** The tool that a need is about. */
export function toolOf(need: string): string {
  return need.startsWith('!') ? need.slice(1) : need;
}

function isMet(need: string, calls: readonly MadeCall[]): boolean {
  const own = calls.filter(({ tool }) => tool === toolOf(need));
  if (need.startsWith('!')) return !own.some(({ tookPlace }) => tookPlace);
  return own.some(({ ok, declined }) => ok && declined !== true); // a question that got a no proves no yes
}

function factOf(need: string, calls: readonly MadeCall[]): string {
  const tool = toolOf(need);
  if (need.startsWith('!')) return `the journal shows that ${tool} took place or may have`;
  const last = calls.filter((made) => made.tool === tool).at(-1);
  if (last === undefined) return `the journal shows no call of ${tool}`;
  if (last.declined === true) return `the person whom ${tool} asked said no`;
  return `the last call of ${tool} did not succeed (${last.code ?? 'no reason given'})`;
}

/** A reply that claims too much, as it is asked for again. */
export function unproven(claims: string, mayCall = true): Refused {
  return {
    ok: false,
    code: 'CLAIM_UNPROVEN',
    problem: claims,
    advice: `That did not happen: the journal of this run is what counts. ${mayCall ? 'Make the missing call first if it is still wanted and allowed; otherwise say' : 'Nothing can be called any more: say'} what really happened.`,
  };
}
