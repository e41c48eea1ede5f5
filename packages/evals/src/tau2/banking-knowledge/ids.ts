import { typeName } from '../python/equality.js';
import { sha256Hex } from '../python/sha.js';
import { str } from '../python/text.js';
import { PyError, type PyValue } from '../python/value.js';

const SURROGATE = /\p{Surrogate}/u;

/** The first characters of a seed's hash: the same call makes the same id in every run. */
export function idOf(seed: string, length: 6 | 8 | 12 | 16): string {
  return hashOf(seed).slice(0, length);
}

export function hashOf(text: string): string {
  const lone = SURROGATE.exec(text)?.[0];
  if (lone !== undefined) throw notEncodable(text, lone);
  return sha256Hex(text);
}

/** A seed in which every part is written as the reference prints it. */
export function seed(...parts: readonly PyValue[]): string {
  return parts.map(str).join(':');
}

/** A seed whose parts must be texts. */
export function textSeed(...parts: readonly PyValue[]): string {
  const at = parts.findIndex((part) => typeof part !== 'string');
  const wrong = parts[at];
  if (wrong === undefined) return parts.join(':');
  throw new PyError('TypeError', `sequence item ${at}: expected str instance, ${typeName(wrong)} found`);
}

/** Half of a surrogate pair can be written in JSON but not in UTF-8. */
function notEncodable(text: string, lone: string): PyError {
  const at = [...text].indexOf(lone);
  const run = lengthOfRun([...text].slice(at));
  const code = (lone.codePointAt(0) ?? 0).toString(16);
  const what = run > 1 ? `characters in position ${at}-${at + run - 1}` : `character '\\u${code}' in position ${at}`;
  return new PyError('ValueError', `'utf-8' codec can't encode ${what}: surrogates not allowed`);
}

function lengthOfRun(characters: readonly string[]): number {
  const end = characters.findIndex((character) => !SURROGATE.test(character));
  return end < 0 ? characters.length : end;
}

export const ids = {
  transaction: (user: PyValue, card: PyValue, merchant: PyValue, amount: string, category: PyValue): string =>
    `txn_${idOf(textSeed('transaction', user, card, merchant, amount, category), 12)}`,
  referral: (user: PyValue, account: PyValue): string => idOf(textSeed('referral', user, account), 16),
  referralLink: (user: PyValue, card: PyValue): string => idOf(seed('referral_link', user, card), 16),
  application: (card: PyValue, name: PyValue, income: number, subscription: PyValue): string =>
    idOf(seed('credit_card', card, name, income, subscription), 16),
  toolGiven: (name: string): string => idOf(seed('user_discoverable_tool', name), 16),
  toolCall: (name: string, argsJson: string): string => idOf(seed('user_discoverable_tool_call', name, argsJson), 16),
  agentTool: (name: string): string => idOf(seed('agent_discoverable_tool', name), 16),
  dispute: (user: PyValue, transaction: PyValue): string => `dsp_${idOf(seed('dispute', user, transaction), 12)}`,
  cardOrder: (account: PyValue, user: PyValue, reason: PyValue): string =>
    `ccord_${idOf(seed('credit_card_order', account, user, reason), 12)}`,
  closureReason: (account: PyValue, user: PyValue): string => `clsr_${idOf(seed('closure_reason', account, user), 12)}`,
  flag: (account: PyValue, type: PyValue, expires: PyValue): string =>
    `ccflag_${idOf(seed('account_flag', account, type, expires), 12)}`,
  limitRequest: (account: PyValue, user: PyValue, amount: string): string =>
    `cli_${idOf(seed('cli_request', account, user, amount), 12)}`,
  debitOrder: (account: PyValue, user: PyValue, option: string): string =>
    `dcord_${idOf(seed('debit_card_order', account, user, option), 12)}`,
  debitCard: (account: PyValue, user: PyValue, date: string): string =>
    `dbc_${idOf(seed('debit_card', account, user, date), 12)}`,
  bankAccount: (user: PyValue, type: PyValue, accountClass: PyValue): string =>
    idOf(seed('account', user, type, accountClass), 16),
} as const;
