import { ConfigError } from '../../core/errors.js';

/** How a value that a person states is compared: as people write it, not byte for byte. */
export type ValueKind = 'text' | 'date' | 'phone' | 'email' | 'address' | 'code';

/** A tool that stands for another one, which its arguments name. */
export interface Wrapper {
  readonly tool: string;
  readonly does: 'unlock' | 'give' | 'call';
  /** The argument that names the other tool. */
  readonly names: string;
  /** The argument that holds the other tool's arguments, as an object or as JSON text. */
  readonly holds?: string;
  /** The wrapper that has to have succeeded for the same name before. */
  readonly after?: string;
}

/** So many of these fields a person has to have stated in words of their own. */
export interface Statement {
  readonly least: number;
  readonly of: Readonly<Record<string, ValueKind>>;
}

/** A degree of verification: what it takes, and what it opens. */
export interface VerificationLevel extends Statement {
  readonly opens: readonly string[];
  /** Of what it opens, these not. */
  readonly closed?: readonly ClosedCall[];
}

export type ClosedCall = string | { readonly call: string; readonly argument: string; readonly above: number };

/** What proves who somebody is. Patterns of tools may hold `*` for any run of characters. */
export interface IdentityRule {
  /** Tools whose results hold records of people. */
  readonly lookups: readonly string[];
  /** The call that says that somebody is verified. It proves nothing by itself. */
  readonly verification: string;
  /** The field that tells people apart, in records and in the call. */
  readonly subject: string;
  /** Fields that the call repeats from the record, and how they are compared. The subject is compared exactly. */
  readonly fields: Readonly<Record<string, ValueKind>>;
  /** Arguments of other calls that name a person. */
  readonly named: readonly string[];
  /** Absent, and without levels: the lookup is proof enough. */
  readonly stated?: Statement;
  /** Where the verification call claims a level, in this argument: what each one takes and opens. */
  readonly levels?: { readonly argument: string; readonly of: Readonly<Record<string, VerificationLevel>> };
  /** A code in place of a record. Absent: there is no such way. */
  readonly recovery?: RecoveryRule;
}

/**
 * A code that stands in every field of the verification call. It counts where a document that the run has read names the
 * code beside the verification call, and the customer has said it; and it opens nothing but these tools.
 */
export interface RecoveryRule {
  readonly shape: RegExp;
  /** Tools that show documents and nothing that a caller can put into their mouth, as a shell would. */
  readonly shownBy: readonly string[];
  readonly allows: readonly string[];
}

/** Things that belong to people, such as accounts and cards: a call about one is passed on only for whom it belongs to. */
export interface Belongings {
  /** Arguments that name such a thing. */
  readonly arguments: readonly string[];
  /**
   * By pattern of the read: where it names things of whom, or of what, it was asked about. `table.field` in a listing;
   * the field alone where it answers in JSON.
   */
  readonly shownBy: Readonly<Record<string, readonly string[]>>;
  /** By pattern of a call that makes one: the words before its name in the answer. */
  readonly madeBy?: Readonly<Record<string, readonly string[]>>;
  /** Calls that may name what is nobody's yet. */
  readonly free?: readonly string[];
}

/** Calls that need others first; a tool that was handed out is needed as `give:name`. */
export interface RequiredTools {
  readonly calls: readonly string[];
  readonly needs: readonly string[];
  /** Arguments that have to be equal where both calls have them. */
  readonly same?: readonly string[];
  readonly because: string;
}

/** Calls that must not follow another one. */
export interface OrderRule {
  readonly calls: readonly string[];
  readonly after: string;
  readonly same?: readonly string[];
  readonly because: string;
}

/** The rules of a domain as data. Whatever is not named here changes something: it is refused before an identity is proven. */
export interface GateRules {
  readonly domain: string;
  readonly wrappers: readonly Wrapper[];
  /** Tools that only read. */
  readonly reads: readonly string[];
  /** Of what only reads: a customer's own affairs, which wait for a proven identity as changes do. */
  readonly private?: readonly string[];
  /** Tools that may be called before anybody is verified though they do more than read. */
  readonly free: readonly string[];
  /** Tools that a wrapper may call or hand out before anybody is verified. */
  readonly open: readonly string[];
  /** Absent: nobody is verified in this domain. */
  readonly identity?: IdentityRule;
  /** Absent: what a call names beside people is not looked at. */
  readonly belongings?: Belongings;
  readonly requires: readonly RequiredTools[];
  readonly order: readonly OrderRule[];
  /** Tools that show documents: a tool that changes something is unlocked or handed out only once one of them, or the policy, named it. */
  readonly documents?: readonly string[];
  /** Beginnings of their answers where they found nothing: such an answer may quote what was looked for. */
  readonly nothingFound?: readonly string[];
  /** Failures since anything else happened after which a tool, or the same call of it, is not tried again. */
  readonly retries: { readonly sameTool: number; readonly sameCall: number };
  /** Beginnings of results that are failures, beside those that are marked as such. */
  readonly failing: readonly string[];
}

export function checkedRules(rules: GateRules): GateRules {
  for (const [name, limit] of Object.entries(rules.retries))
    if (!(Number.isSafeInteger(limit) && limit >= 1))
      throw new ConfigError(
        `retries.${name} of the gate for ${rules.domain} must be a whole number of at least 1, got ${limit}.`,
      );
  const { identity } = rules;
  for (const { least, of } of [identity?.stated ?? [], Object.values(identity?.levels?.of ?? {})].flat())
    if (!(Number.isSafeInteger(least) && least >= 1 && least <= Object.keys(of).length))
      throw new ConfigError(
        `The gate for ${rules.domain} asks for ${least} stated fields of ${Object.keys(of).length}: take at least 1 and at most all.`,
      );
  for (const { tool, after } of rules.wrappers)
    if (after !== undefined && !rules.wrappers.some((other) => other.tool === after))
      throw new ConfigError(
        `Wrapper ${tool} of the gate for ${rules.domain} comes after "${after}", which is not a wrapper.`,
      );
  return rules;
}
