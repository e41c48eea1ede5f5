import type { Refused } from './ask-until.js';
import { ANY, type Claimed, isClaimed, namedIn, valuesAt } from './claimed-values.js';
import { jsonIn } from './read-json.js';
import type { MadeCall } from './run.js';

/** Tools whose completed call is needed, all of them. `!tool` needs that no call of it took place. */
export type Needs = string | readonly string[];

/** A value that claims something: one, any of several, or what a test of your own says is one. */
export interface Claim {
  readonly says: Claimed | readonly Claimed[] | ((value: unknown) => boolean);
  readonly needs: Needs;
}

/**
 * What proves a claim of an output, by field. A field inside another is a path: `refund.status`, through lists too. The
 * short form is value → tools. The value `*` stands for any that is not null, false or empty.
 */
export type Proofs = Readonly<Record<string, Readonly<Record<string, Needs>> | readonly Claim[]>>;

/** What becomes of an output that still claims what the journal does not show after the last re-ask. */
export type WhenUnproven = 'fail' | 'degrade';

/** The claims of one field in their long form. */
export function claimsOf(of: Proofs[string]): readonly Claim[] {
  return isList(of) ? of : Object.entries(of).map(([says, needs]) => ({ says, needs }));
}

function isList(of: Proofs[string]): of is readonly Claim[] {
  return Array.isArray(of);
}

/**
 * What an output claims and the journal does not show, in words for a model or a person; undefined where all is proven.
 * A call counts when it gave a result, in this run and by this agent. Which arguments it had is not looked at.
 * `required` fields have to be there: nothing says that an output which has none of them claims nothing.
 */
export function unprovenClaims(
  proofs: Proofs,
  output: unknown,
  calls: readonly MadeCall[],
  required: readonly string[] = [],
): string | undefined {
  return problemsIn(proofs, calls, (field) => {
    const values = valuesAt(output, field.split('.'));
    return values.length === 0 && required.includes(field) ? MISSING : values;
  });
}

/** The same for words in which claims may stand: as JSON, or as `field: value`. */
export function unprovenInText(proofs: Proofs, text: string, calls: readonly MadeCall[]): string | undefined {
  const found = jsonIn(text);
  return problemsIn(
    proofs,
    calls,
    (field) => valuesAt(found, field.split('.')),
    (field) => namedIn(text, field),
  );
}

const MISSING = Symbol('missing');

function problemsIn(
  proofs: Proofs,
  calls: readonly MadeCall[],
  saidIn: (field: string) => readonly unknown[] | typeof MISSING,
  wordsIn: (field: string) => readonly string[] = () => [],
): string | undefined {
  const problems = Object.entries(proofs).flatMap(([field, of]) => {
    const said = saidIn(field);
    if (said === MISSING) return [`${field} is missing, so what it claims cannot be checked`];
    return claimsOf(of).flatMap(({ says, needs }) => {
      // words after a field's name are compared with words only: `refund: not yet` is something, and no claim
      const words = typeof says === 'function' || says === ANY ? [] : wordsIn(field);
      const claimed = [...said, ...words].find((value) => isClaimed(says, value));
      if (claimed === undefined) return [];
      const unmet = [needs].flat().filter((need) => !isMet(need, calls));
      return unmet.map((need) => `${field} says ${JSON.stringify(claimed)}, but ${factOf(need, calls)}`);
    });
  });
  return problems.length === 0 ? undefined : `${[...new Set(problems)].join('; ')}.`;
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
