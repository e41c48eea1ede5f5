import type { Message, ModelRequest } from '../core/model.js';
import { canonical } from './request-identity.js';
import { shorten } from './script.js';

/** How alike two requests are and, in a clause, where they first differ. */
export interface RequestDifference {
  /** Larger is closer: the same session counts most, then equal leading messages, then the other fields. */
  readonly closeness: number;
  readonly clause: string;
}

const FIELDS = ['model', 'tools', 'toolChoice', 'output', 'sampling'] as const;

export function differenceOf(recorded: ModelRequest, asked: ModelRequest): RequestDifference {
  const sameSession = recorded.session === asked.session;
  const shared = sharedMessages(recorded.messages, asked.messages);
  const fields = FIELDS.filter((field) => canonical(recorded[field]) !== canonical(asked[field]));
  const clauses = [
    ...(sameSession ? [] : [differs('the session', recorded.session, asked.session)]),
    ...messageClause(recorded.messages, asked.messages, shared),
    ...fields.map((field) => differs(field, recorded[field], asked[field])),
  ];
  const closeness = (sameSession ? 1000 : 0) + shared - fields.length / 10 - clauses.length / 100;
  return { closeness, clause: clauses.join('; ') };
}

/** The number of leading messages that are equal. */
export function sharedMessages(a: readonly Message[], b: readonly Message[]): number {
  const index = a.findIndex((message, at) => canonical(message) !== canonical(b[at]));
  return index === -1 ? a.length : index;
}

function messageClause(recorded: readonly Message[], asked: readonly Message[], shared: number): readonly string[] {
  const [was, is] = [recorded[shared], asked[shared]];
  const place = `message ${shared + 1}`;
  if (was === undefined && is === undefined) return [];
  if (was === undefined) return [`${place} (${is?.role}) is new: "${shorten(is?.content ?? '')}"`];
  if (is === undefined) return [`${place} (${was.role}) is gone: "${shorten(was.content)}"`];
  if (was.role !== is.role) return [differs(`the role of ${place}`, was.role, is.role)];
  if (was.content === is.content && canonical(was.parts) !== canonical(is.parts))
    return [`the parts of ${place} (${is.role}) hold other bytes`];
  if (was.content === is.content) return [differs(`the tool calls of ${place} (${is.role})`, was, is)];
  return [differs(`${place} (${is.role})`, ...excerpts(was.content, is.content))];
}

/** Both texts from shortly before the place where they part: long prompts often share pages. */
function excerpts(was: string, is: string): [string, string] {
  let same = 0;
  while (same < was.length && was[same] === is[same]) same++;
  const from = Math.max(0, same - 30);
  const cut = (text: string): string => (from === 0 ? '' : '…') + text.slice(from);
  return [cut(was), cut(is)];
}

function differs(what: string, was: unknown, is: unknown): string {
  const show = (value: unknown): string => (value === undefined ? 'nothing' : shorten(JSON.stringify(value), 120));
  return `${what} was ${show(was)} and is ${show(is)}`;
}
