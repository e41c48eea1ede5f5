import type { Refused } from './ask-until.js';
import { ANY, type Claimed, isClaimed, namedIn, valuesAt } from './claimed-values.js';
import { jsonIn } from './read-json.js';
import type { MadeCall } from './run.js';

/** Tools whose completed call is needed, all of them. `!tool` needs that no call of it took place. */
export type Needs = string | readonly string[];

/** A value that needs proof: a value, one of several, or a function that decides. */
export interface Claim {
  readonly says: Claimed | readonly Claimed[] | ((value: unknown) => boolean);
  readonly needs: Needs;
}

/**
 * The tool calls that output values require, by field. Use a path for a nested field: `refund.status` (lists are
 * checked member by member). The short form maps values to tools. `*` means any value that is not null, false or
 * empty.
 */
export type Proofs = Readonly<Record<string, Readonly<Record<string, Needs>> | readonly Claim[]>>;

/** What happens to an output that is still unproven after the last re-ask. */
export type WhenUnproven = 'fail' | 'degrade';

/** The claims of one field in their long form. */
export function claimsOf(of: Proofs[string]): readonly Claim[] {
  return isList(of) ? of : Object.entries(of).map(([says, needs]) => ({ says, needs }));
}

function isList(of: Proofs[string]): of is readonly Claim[] {
  return Array.isArray(of);
}

/** What is known of the fields with proofs. */
export interface ProofFields {
  /** Fields that have to be there: nothing says that an output which has none of them claims nothing. */
  readonly required?: readonly string[];
  /** Fields in which words stand for what `proofs` names, for these other values, or for nothing that could be checked. */
  readonly closed?: Readonly<Record<string, readonly Claimed[]>>;
}

/**
 * What an output claims and the journal does not show, in words for a model or a person; undefined where all is proven.
 * A call counts when it gave a result, in this run and by this agent. Which arguments it had is not looked at.
 */
export function unprovenClaims(
  proofs: Proofs,
  output: unknown,
  calls: readonly MadeCall[],
  { required = [], closed = {} }: ProofFields = {},
): string | undefined {
  return problemsIn(proofs, calls, (field, claims) => {
    const said = valuesAt(output, field.split('.'));
    if (said.length === 0 && required.includes(field))
      return { said, wrong: [`${field} is missing, so what it claims cannot be checked`] };
    return { said, wrong: strayIn(field, claims, said, closed[field]) };
  });
}

/** The same for words in which claims may stand: as JSON, whose fields may be closed, or as `field: value`. */
export function unprovenInText(
  proofs: Proofs,
  text: string,
  calls: readonly MadeCall[],
  { closed = {} }: Pick<ProofFields, 'closed'> = {},
): string | undefined {
  const found = jsonIn(text);
  return problemsIn(proofs, calls, (field, claims) => {
    const said = valuesAt(found, field.split('.'));
    // words after a field's name are compared with values only: `refund: not yet` is something, and no claim
    return {
      said: [...said, ...namedIn(text, field, plainValues(claims))],
      wrong: strayIn(field, claims, said, closed[field]),
    };
  });
}

/** The values that claims name, without those that a function tells. */
export function plainValues(claims: readonly Claim[]): readonly Claimed[] {
  return claims.flatMap(({ says }) => (typeof says === 'function' ? [] : [says].flat())).filter((one) => one !== ANY);
}

function problemsIn(
  proofs: Proofs,
  calls: readonly MadeCall[],
  look: (
    field: string,
    claims: readonly Claim[],
  ) => { readonly said: readonly unknown[]; readonly wrong: readonly string[] },
): string | undefined {
  const problems = Object.entries(proofs).flatMap(([field, of]) => {
    const claims = claimsOf(of);
    const { said, wrong } = look(field, claims);
    const unproven = claims.flatMap(({ says, needs }) => {
      const claimed = said.find((value) => isClaimed(says, value));
      if (claimed === undefined) return [];
      const unmet = [needs].flat().filter((need) => !isMet(need, calls));
      return unmet.map((need) => `${field} says ${JSON.stringify(claimed)}, but ${factOf(need, calls)}`);
    });
    return [...wrong, ...unproven];
  });
  return problems.length === 0 ? undefined : `${[...new Set(problems)].join('; ')}.`;
}

/** A claim can be spelled, translated and wrapped without end: what is not a known value may be one. */
function strayIn(
  field: string,
  claims: readonly Claim[],
  said: readonly unknown[],
  others: readonly Claimed[] | undefined,
): readonly string[] {
  const named = plainValues(claims);
  if (others === undefined || named.length === 0) return [];
  const known = [...claims.map(({ says }) => says), ...others];
  const stray = said.find((value) => isWords(value) && value !== '' && !known.some((says) => isClaimed(says, value)));
  if (stray === undefined) return [];
  const possible = [...new Set([...named, ...others].map(String))].join(', ');
  return [`${field} says ${JSON.stringify(stray)}, which is not one of ${possible}`];
}

function isWords(value: unknown): boolean {
  return typeof value === 'string' || (typeof value === 'object' && value !== null);
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
  if (last.declined === true) return `the person asked by ${tool} said no`;
  return `the last call of ${tool} did not succeed (${last.code ?? 'no reason given'})`;
}

/** A reply that claims too much, as it is asked for again. */
export function unproven(claims: string, mayCall = true): Refused {
  return {
    ok: false,
    code: 'CLAIM_UNPROVEN',
    problem: claims,
    advice: `That did not happen: the journal of this run is what counts. ${mayCall ? 'Make the missing call first if it is still wanted and allowed; otherwise say' : 'No more calls are possible: say'} what really happened.`,
  };
}
