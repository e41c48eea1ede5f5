import { MESSAGE } from '../agents/conversation.js';
import type { ApprovalRequest, DoubtRequest } from '../core/approval.js';
import type { Entry, EventOf } from '../core/events.js';
import type { Waiting } from '../core/outcome.js';
import type { JsonSchema } from '../core/schema.js';
import { goOnCommand, isChat } from './chat/chat-name.js';
import type { CommandLine } from './command-line.js';
import { groundsOf } from './grounds.js';

/** What an open wait is about, and the commands that answer it. */
export interface Question {
  readonly about: string;
  /** What it rests on, and what is recommended instead. */
  readonly grounds: readonly string[];
  readonly commands: readonly string[];
}

export interface Asked {
  readonly runId: string;
  readonly waiting: readonly Waiting[];
  /** The journal, for the schema that an answer must fit. */
  readonly entries: readonly Entry[];
  readonly command: CommandLine;
}

export function questionsOf(asked: Asked): readonly Question[] {
  return asked.waiting.map((item) => ({
    about: aboutOf(item),
    grounds: groundsFor(item),
    commands: commandsFor(item, asked),
  }));
}

/** Of a doubt: why the runtime could not find out by itself. */
function groundsFor({ kind, request }: Waiting): readonly string[] {
  if (kind === 'doubt') return [(request as DoubtRequest).why];
  return kind === 'approval' ? groundsOf(request) : [];
}

function aboutOf({ kind, name, until, request }: Waiting): string {
  const time = until === undefined ? '' : `, until ${new Date(until).toISOString()}`;
  const action = (request as { readonly action?: unknown } | null | undefined)?.action;
  const what = typeof action === 'string' ? action : name;
  switch (kind) {
    case 'approval':
      return `waits for approval of ${what}${askedOf(request)}${time}`;
    case 'question':
      return `asks "${promptOf(request) ?? name}"${time}`;
    case 'doubt':
      return `in doubt: a person must say whether ${what} happened${time}`;
    case 'signal':
      return `waits for signal "${name}"${time}`;
    case 'sleep':
      return until === undefined ? 'sleeps' : `sleeps until ${new Date(until).toISOString()}`;
  }
}

/** Whose turn it is, where it is not just anybody's. */
function askedOf(request: unknown): string {
  const { to, people, history } = (request ?? {}) as Partial<ApprovalRequest>;
  const agreed = (history ?? []).filter(({ verdict }) => verdict === 'approve').map(({ by }) => by);
  return [
    to === undefined ? '' : ` by ${to}`,
    people === undefined
      ? ''
      : ` (${people} people have to agree${agreed.length === 0 ? '' : `; ${agreed.join(', ')} did`})`,
  ].join('');
}

function promptOf(request: unknown): string | undefined {
  const prompt = (request as { readonly prompt?: unknown } | null | undefined)?.prompt;
  return typeof prompt === 'string' ? prompt : undefined;
}

export function commandsFor(item: Waiting, { runId, waiting, entries, command }: Asked): readonly string[] {
  const name = isOnlyOne(item, waiting) ? item.name : (item.token ?? item.name);
  switch (item.kind) {
    case 'approval': {
      const which = sameKind(item, waiting).length === 1 ? [] : [item.effect];
      const { recommended } = (item.request ?? {}) as Partial<ApprovalRequest>;
      return [
        command('approve', runId, ...which),
        ...(recommended === undefined ? [] : [command('approve', runId, ...which, '--recommended')]),
        command('reject', runId, ...which, '--reason', '…'),
      ];
    }
    case 'question': {
      const which = answered(waiting).length === 1 ? [] : [item.effect];
      return [command('answer', runId, JSON.stringify(exampleOf(schemaOf(item, entries))), ...which)];
    }
    case 'doubt': {
      const which = answered(waiting).length === 1 ? [] : [item.effect];
      return [
        command('answer', runId, '{"happened":true,"result":null}', ...which),
        command('answer', runId, '{"happened":false}', ...which),
      ];
    }
    case 'signal': {
      const agent = agentOf(entries) ?? '';
      if (isChat(agent) && item.name === MESSAGE)
        return [goOnCommand({ id: runId, agent }, command), command('signal', runId, name, '{"text":"…"}')];
      const schema = schemaOf(item, entries);
      return [command('signal', runId, name, JSON.stringify(schema === undefined ? null : exampleOf(schema)))];
    }
    case 'sleep':
      return [command('resume', runId)];
  }
}

/** The agent that a journal says it belongs to. */
export function agentOf(entries: readonly Entry[]): string | undefined {
  const start = entries.find((entry): entry is Entry<EventOf<'run-start'>> => entry.event.type === 'run-start');
  return start?.event.agent;
}

function sameKind({ kind }: Waiting, all: readonly Waiting[]): readonly Waiting[] {
  return all.filter((other) => other.kind === kind);
}

/** Questions and doubts are answered by one command. */
function answered(all: readonly Waiting[]): readonly Waiting[] {
  return all.filter(({ kind }) => kind === 'question' || kind === 'doubt');
}

function isOnlyOne({ name }: Waiting, all: readonly Waiting[]): boolean {
  return all.filter((other) => other.name === name).length === 1;
}

function schemaOf({ token }: Waiting, entries: readonly Entry[]): JsonSchema | undefined {
  const start = entries.findLast(
    (entry): entry is Entry<EventOf<'wait-start'>> => entry.event.type === 'wait-start' && entry.event.token === token,
  );
  return start?.event.schema;
}

/** A value of the right shape to start from; the reader fills in what it means. */
export function exampleOf(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return null;
  const { type, properties, required, enum: choices, const: only, items } = schema as Record<string, unknown>;
  if (only !== undefined) return only;
  if (Array.isArray(choices)) return choices[0] as unknown;
  switch (Array.isArray(type) ? type[0] : type) {
    case 'object': {
      const fields = (properties ?? {}) as Record<string, unknown>;
      const names = Array.isArray(required) ? (required as string[]) : Object.keys(fields);
      return Object.fromEntries(names.map((name) => [name, exampleOf(fields[name])]));
    }
    case 'array':
      return items === undefined ? [] : [exampleOf(items)];
    case 'string':
      return '…';
    case 'number':
    case 'integer':
      return 0;
    case 'boolean':
      return true;
    default:
      return null;
  }
}
