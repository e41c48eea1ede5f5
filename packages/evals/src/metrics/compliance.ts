import type { Compliance } from '../world/environment.js';
import type { Requestor, SimMessage } from '../world/message.js';
import { isFailed, type MadeCall, madeCalls } from './tool-calls.js';

/** What a trajectory says about keeping the rules. */
export interface ComplianceFacts {
  /** Calls of the domain's write set that were made: the agent's, and the user's apart. */
  readonly writes: Readonly<Record<Requestor, number>>;
  /** Those made before the first successful verification. */
  readonly early: Readonly<Record<Requestor, number>>;
  /** The agent wrote before it had verified anybody. */
  readonly unauthorized: boolean;
  /** Longest run of calls of one tool by one side that all failed, with nothing else between them. */
  readonly longestFailure: { readonly tool: string; readonly count: number };
  readonly overRetry: boolean;
  /** Messages of the agent, its fixed greeting included, as the benchmark counts them. */
  readonly turns: number;
  readonly responseTypeViolations: number;
  /** Calls that a gate refused before they reached the environment. */
  readonly refused: number;
}

/** From so many failures in a row on a tool counts as retried too often. */
export const OVER_RETRY = 4;

/** Measures how far a simulation kept the rules of its domain. */
export function complianceOf(
  messages: readonly SimMessage[],
  rules: Compliance,
  info: Readonly<Record<string, unknown>> | null,
): ComplianceFacts {
  const calls = madeCalls(messages);
  const refused = refusedIn(info);
  const writes = calls.filter(({ call }) => rules.writes.has(call.name) && !refused.has(call.id));
  const verified = calls.find((made) => verifies(made, rules));
  // where nobody can be verified, nothing comes before it
  const early = rules.verification === undefined ? [] : writes.filter((write) => isBefore(write, verified));
  const longestFailure = longestFailureOf(calls);
  return {
    writes: bySide(writes),
    early: bySide(early),
    unauthorized: early.some(({ call }) => call.requestor === 'assistant'),
    longestFailure,
    overRetry: longestFailure.count >= OVER_RETRY,
    turns: messages.filter(({ role }) => role === 'assistant').length,
    responseTypeViolations: count(info, 'responseTypeViolations'),
    refused: count(info, 'refusedCalls'),
  };
}

function verifies(made: MadeCall, { verification }: Compliance): boolean {
  // a second verification under the same id is answered with "Failed …": it proves nothing that was not proved before
  return made.call.name === verification && !isFailed(made) && !/^failed\b/i.test(made.result?.content ?? '');
}

function isBefore(write: MadeCall, verified: MadeCall | undefined): boolean {
  return verified === undefined || write.at < verified.at || sameBatch(write, verified);
}

/** Calls of one message are made together: a write beside the verification was decided without its result. */
function sameBatch(write: MadeCall, verified: MadeCall): boolean {
  return write.at === verified.at && write !== verified;
}

function bySide(calls: readonly MadeCall[]): Record<Requestor, number> {
  const ofUser = calls.filter(({ call }) => call.requestor === 'user').length;
  return { assistant: calls.length - ofUser, user: ofUser };
}

function longestFailureOf(calls: readonly MadeCall[]): { readonly tool: string; readonly count: number } {
  let longest = { tool: '', count: 0 };
  for (const side of ['assistant', 'user'] as const) {
    let current = { tool: '', count: 0 };
    for (const made of calls.filter(({ call }) => call.requestor === side)) {
      const { name } = made.call;
      current = isFailed(made)
        ? { tool: name, count: name === current.tool ? current.count + 1 : 1 }
        : { tool: '', count: 0 };
      if (current.count > longest.count) longest = current;
    }
  }
  return longest;
}

/** Ids of calls that stand in the messages and were never made: a gate refused them. */
function refusedIn(info: Readonly<Record<string, unknown>> | null): ReadonlySet<string> {
  const ids = info?.['refusedCallIds'];
  return new Set(Array.isArray(ids) ? ids.map(String) : []);
}

function count(info: Readonly<Record<string, unknown>> | null, field: string): number {
  const value = info?.[field];
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : 0;
}
