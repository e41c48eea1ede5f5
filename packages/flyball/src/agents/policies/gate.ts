import type { ToolCall } from '../../core/model.js';
import { matchesAny, matchesText } from '../../tools/governance/text-glob.js';
import { notShownAsOwn } from './belongings.js';
import { type GateCall, isRead, needsIdentity, readProposal } from './gate-call.js';
import { retries } from './gate-retries.js';
import type { GateRules } from './gate-rules.js';
import { documentsRead, opens, proofOf, type Standing, standing, strangersIn } from './identity.js';
import type { GateRule, Refusal } from './refusal.js';
import { type Deed, deedsDone, type Evidence } from './witness.js';

type Check = (rules: GateRules, call: GateCall, evidence: Evidence) => Refusal | undefined;

/** In this order; the first refusal is the one that is told. */
const CHECKS: readonly Check[] = [retries, discovery, unlocked, required, identity, verification, order];

/**
 * Decides over one proposed call from what took place. Invariants:
 * 1. It is a function of the rules, the call and the evidence: no clock, no counter of its own, the same on replay.
 * 2. Whatever the rules do not name as a read or as free waits for a proven identity, so a forgotten tool is a closed one.
 * 3. The verification call itself needs the proof: a claim that nothing bears out is not even written down.
 */
export function judge(
  rules: GateRules,
  proposal: ToolCall,
  evidence: Evidence,
  offered?: ReadonlySet<string>,
): Refusal | undefined {
  if (offered !== undefined && !offered.has(proposal.name))
    return {
      rule: 'unknown-tool',
      because: `You have no tool ${proposal.name}. Call one of your tools by its exact name.`,
    };
  const read = readProposal(rules, proposal);
  if (!read.ok)
    return {
      rule: 'arguments',
      because: `${proposal.name} was not called: ${read.because}. Correct that and call it again.`,
    };
  return judgeCall(rules, read.call, evidence);
}

/**
 * Decides over the calls of one reply: each by what took place, and by what the ones before it are about to do. They are
 * made one after the other, so what must not follow a call must not follow it in the same breath either.
 */
export function judgeTogether(
  rules: GateRules,
  proposals: readonly ToolCall[],
  evidence: Evidence,
  offered: ReadonlySet<string>,
): ReadonlyMap<ToolCall, Refusal> {
  const refusals = new Map<ToolCall, Refusal>();
  const happened = [...evidence.happened];
  for (const proposal of proposals) {
    const read = readProposal(rules, proposal);
    const refusal =
      judge(rules, proposal, evidence, offered) ??
      (read.ok ? order(rules, read.call, { ...evidence, happened }) : undefined);
    if (refusal !== undefined) refusals.set(proposal, refusal);
    else if (read.ok) happened.push({ kind: 'deed', call: read.call, content: '', ok: true });
  }
  return refusals;
}

export function judgeCall(rules: GateRules, call: GateCall, evidence: Evidence): Refusal | undefined {
  for (const check of CHECKS) {
    const refusal = check(rules, call, evidence);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** Tools that change something are found in documents, not guessed. */
function discovery(rules: GateRules, call: GateCall, evidence: Evidence): Refusal | undefined {
  if (rules.documents === undefined || call.wrapper === undefined || call.does === 'call') return undefined;
  if (isRead(rules, call) || documentsRead(rules, evidence).some((text) => names(text, call.target))) return undefined;
  return refused(
    'discovery',
    `No document that you have read names a tool ${call.target}. Search for the procedure first and use the name that it gives.`,
  );
}

/** As a whole word: a longer name that begins with it is another tool. */
function names(text: string, tool: string): boolean {
  for (let at = text.indexOf(tool); at >= 0; at = text.indexOf(tool, at + 1))
    if (!/\w/.test(text.charAt(at - 1)) && !/\w/.test(text.charAt(at + tool.length))) return true;
  return false;
}

function unlocked(_rules: GateRules, { wrapper, target }: GateCall, { happened }: Evidence): Refusal | undefined {
  const first = wrapper?.after;
  if (first === undefined || deedsDone(happened).some(({ call }) => call.tool === first && call.target === target))
    return undefined;
  return refused('required', `${target} is not unlocked. Call ${first} for it first.`);
}

/** What has to have succeeded before, with the same subject matter. */
function required(rules: GateRules, call: GateCall, { happened }: Evidence): Refusal | undefined {
  if (call.does !== 'call') return undefined;
  for (const { calls, needs, same = [], because } of rules.requires) {
    if (!matchesAny(calls, call.target)) continue;
    const missing = needs.filter(
      (need) => !deedsDone(happened).some((deed) => isCallOf(deed, need) && agree(deed.call, call, same)),
    );
    if (missing.length > 0) return refused('required', `${call.target} needs ${missing.join(', ')} first: ${because}`);
  }
  return undefined;
}

/** The claim that somebody is verified, put against what bears it out. */
function identity(rules: GateRules, call: GateCall, evidence: Evidence): Refusal | undefined {
  if (rules.identity === undefined || call.tool !== rules.identity.verification) return undefined;
  const proof = proofOf(rules.identity, rules, call.args, evidence);
  if (proof.proven !== 'no') return undefined;
  return refused(
    'identity',
    `${call.tool} was not called: ${proof.because}. Look the customer up, have them state the fields themselves, and log exactly what the record says.`,
  );
}

function verification(rules: GateRules, call: GateCall, evidence: Evidence): Refusal | undefined {
  const rule = rules.identity;
  if (rule === undefined || call.tool === rule.verification || !needsIdentity(rules, call)) return undefined;
  const who = standing(rules, evidence);
  if (isRecovered(rules, call, who)) return undefined;
  if (who.proofs.length === 0)
    return refused(
      'verification',
      `${call.target} was not called: nobody's identity is proven in this conversation. Look the customer up, have them state the fields that the policy asks for, and call ${rule.verification}; then call it again.`,
    );
  const enough = who.proofs.filter(({ level }) => opens(level, call));
  if (enough.length === 0)
    return refused(
      'level',
      `${call.target} was not called: the verification on record is not enough for it. Look up which one it needs.`,
    );
  return elsewhere(
    rules,
    call,
    evidence,
    enough.map(({ subject }) => subject),
  );
}

/** What a call is about has to be the verified customer's: the person that it names, and the things that it names. */
function elsewhere(
  rules: GateRules,
  call: GateCall,
  evidence: Evidence,
  subjects: readonly string[],
): Refusal | undefined {
  const strangers = rules.identity === undefined ? [] : strangersIn(rules.identity, call, subjects);
  if (strangers.length > 0)
    return refused(
      'subject',
      `${call.target} was not called: it names ${strangers.join(', ')}, who is not the verified customer.`,
    );
  // a look at what a relative has may be in order, and is how one finds out whose it is; a change is not
  const unknown = isRead(rules, call) ? [] : notShownAsOwn(rules, call, evidence, subjects);
  if (unknown.length === 0) return undefined;
  return refused(
    'owner',
    `${call.target} was not called: nothing read in this conversation shows that ${unknown.join(', ')} belongs to the verified customer. Read what they have first.`,
  );
}

function isRecovered(rules: GateRules, call: GateCall, { recovered }: Standing): boolean {
  return recovered && matchesAny(rules.identity?.recovery?.allows ?? [], call.target);
}

function order(rules: GateRules, call: GateCall, { happened }: Evidence): Refusal | undefined {
  if (call.does !== 'call') return undefined;
  const broken = rules.order.find(
    ({ calls, after, same = [] }) =>
      matchesAny(calls, call.target) &&
      deedsDone(happened).some((deed) => isCallOf(deed, after) && agree(deed.call, call, same)),
  );
  return broken === undefined ? undefined : refused('order', `${call.target} was not called: ${broken.because}`);
}

/** A tool that was handed out counts where the rule speaks of it as `give:name`. */
function isCallOf({ call }: Deed, pattern: string): boolean {
  if (pattern.startsWith('give:')) return call.does === 'give' && matchesText(pattern.slice(5), call.target);
  return call.does === 'call' && matchesText(pattern, call.target);
}

/** Equal in these arguments, as far as both have them. */
function agree(a: GateCall, b: GateCall, same: readonly string[]): boolean {
  return same.every((name) => {
    const [left, right] = [a.inner[name], b.inner[name]];
    return left === undefined || right === undefined || String(left) === String(right);
  });
}

function refused(rule: GateRule, because: string): Refusal {
  return { rule, because };
}
