import { matchesAny, matchesText } from '../../tools/governance/text-glob.js';
import type { Arguments, GateCall } from './gate-call.js';
import type { ClosedCall, GateRules, IdentityRule, Statement, VerificationLevel } from './gate-rules.js';
import { type FieldRecord, recordsIn } from './records.js';
import { isIn, isStated, plainValue } from './stated-values.js';
import { type Deed, type Evidence, type Happening, isDeed } from './witness.js';

/** Whether a verification call is borne out by what took place before it. */
export type Proof =
  | { readonly proven: 'record'; readonly subject: string; readonly level: VerificationLevel | undefined }
  | { readonly proven: 'recovery' }
  | { readonly proven: 'no'; readonly because: string };

/** Who is verified in this conversation, as the evidence has it. */
export interface Standing {
  readonly proofs: readonly Extract<Proof, { readonly proven: 'record' }>[];
  /** A recovery code was accepted: it opens what the rule for it allows. */
  readonly recovered: boolean;
}

const NOBODY: Standing = { proofs: [], recovered: false };

/** Every verification that took place, each judged by what had taken place before it. */
export function standing(rules: GateRules, evidence: Evidence): Standing {
  const { identity } = rules;
  if (identity === undefined) return NOBODY;
  const proofs = evidence.happened.flatMap((one, at) =>
    isDeed(one) && one.ok && one.call.tool === identity.verification
      ? [proofOf(identity, rules, one.call.args, { ...evidence, happened: evidence.happened.slice(0, at) })]
      : [],
  );
  return {
    proofs: proofs.flatMap((proof) => (proof.proven === 'record' ? [proof] : [])),
    recovered: proofs.some(({ proven }) => proven === 'recovery'),
  };
}

/** Whether a level opens a call. Without levels every verification opens everything. */
export function opens(level: VerificationLevel | undefined, { target, inner }: GateCall): boolean {
  if (level === undefined) return true;
  const isClosed = (one: ClosedCall): boolean =>
    typeof one === 'string'
      ? matchesText(one, target)
      : matchesText(one.call, target) && !(amountIn(inner[one.argument]) <= one.above);
  return matchesAny(level.opens, target) && !(level.closed ?? []).some(isClosed);
}

/** A number, or a text that is nothing but one: whatever else stands there is no amount that could be small enough. */
function amountIn(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^\d{1,12}(?:\.\d{1,6})?$/.test(value) ? Number(value) : Number.NaN;
}

/** The journal has to hold a lookup whose record the call repeats, and the customer's own words for enough of it. */
export function proofOf(identity: IdentityRule, rules: GateRules, args: Arguments, evidence: Evidence): Proof {
  if (isRecovery(identity, rules, args, evidence)) return { proven: 'recovery' };
  const records = evidence.happened.flatMap((one) => (isLookup(identity, one) ? recordsIn(one.content) : []));
  const record = records.find((one) => isOf(identity, args, one));
  if (record === undefined)
    return {
      proven: 'no',
      because: `no lookup in this conversation holds a record with this ${identity.subject} and these fields`,
    };
  const { levels } = identity;
  const claimed = levels === undefined ? '' : String(args[levels.argument]);
  const level = levels !== undefined && Object.hasOwn(levels.of, claimed) ? levels.of[claimed] : undefined;
  if (levels !== undefined && level === undefined)
    return { proven: 'no', because: `${levels.argument} must be one of ${Object.keys(levels.of).join(', ')}` };
  const missing = unstated(level ?? identity.stated, record, evidence);
  if (missing !== undefined) return { proven: 'no', because: missing };
  return { proven: 'record', subject: record[identity.subject] ?? '', level };
}

function isLookup({ lookups }: IdentityRule, one: Happening): one is Deed {
  return isDeed(one) && one.ok && one.call.wrapper === undefined && matchesAny(lookups, one.call.tool);
}

function isOf({ subject, fields }: IdentityRule, args: Arguments, record: FieldRecord): boolean {
  const isEqual = ([field, kind]: readonly [string, Parameters<typeof plainValue>[0]]): boolean => {
    const [given, kept] = [args[field], record[field]];
    return typeof given === 'string' && kept !== undefined && plainValue(kind, given) === plainValue(kind, kept);
  };
  const id = record[subject];
  return id !== undefined && id !== '' && args[subject] === id && Object.entries(fields).every(isEqual);
}

function unstated(stated: Statement | undefined, record: FieldRecord, { happened }: Evidence): string | undefined {
  if (stated === undefined) return undefined;
  const given = Object.entries(stated.of).filter(([field, kind]) => {
    const value = record[field] ?? '';
    const told = happened.findIndex((one) => one.kind === 'told' && isIn(kind, value, one.text));
    return isStated(kind, value, saidIn(told < 0 ? happened : happened.slice(0, told)));
  });
  if (given.length >= stated.least) return undefined;
  // which fields were right is not told: the model could pass it on to whoever is guessing
  return `the customer has not correctly stated ${stated.least} of ${Object.keys(stated.of).join(', ')}`;
}

/** The customer's own words. What they repeat after the agent is not their own: only those before it are taken. */
function saidIn(happened: readonly Happening[]): readonly string[] {
  return happened.flatMap((one) => (one.kind === 'words' ? [one.text] : []));
}

function isRecovery(identity: IdentityRule, rules: GateRules, args: Arguments, evidence: Evidence): boolean {
  const { recovery, subject, fields, verification } = identity;
  const code = args[subject];
  if (recovery === undefined || typeof code !== 'string' || !recovery.shape.test(code)) return false;
  if (!Object.keys(fields).every((field) => args[field] === code)) return false;
  const shown = documentsRead({ ...rules, documents: recovery.shownBy }, evidence);
  const isNamed = shown.some((text) => text.includes(code) && text.includes(verification));
  return isNamed && evidence.happened.some((one) => one.kind === 'words' && one.text.includes(code));
}

/** The policy, and what lookups of documents showed. */
export function documentsRead(
  { documents = [], nothingFound = [] }: Pick<GateRules, 'documents' | 'nothingFound'>,
  { happened, known }: Evidence,
): readonly string[] {
  const isShown = (one: Happening): one is Deed =>
    isDeed(one) &&
    one.ok &&
    matchesAny(documents, one.call.tool) &&
    !nothingFound.some((beginning) => one.content.startsWith(beginning));
  return [...known, ...happened.filter(isShown).map(({ content }) => content)];
}

/** The people that a call names, other than these. */
export function strangersIn(
  { named }: IdentityRule,
  { args, inner }: GateCall,
  known: readonly string[],
): readonly string[] {
  const given = named.flatMap((name) => [args[name], inner[name]]);
  return given
    .filter((one) => one !== undefined && one !== null)
    .map((one) => (typeof one === 'object' ? JSON.stringify(one) : String(one))) // a list of one name is not that name
    .filter((one) => !known.includes(one));
}
