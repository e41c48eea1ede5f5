import { FlyballError } from 'flyball';
import type { PyDict } from '../tau2/python/value.js';
import type { Requestor, SimCall, SpokenMessage } from '../world/message.js';
import type { Party } from './party.js';
import { userStops } from './stop-tokens.js';

/** One line of a script: words, calls, or both. */
export interface Line {
  readonly text?: string | null;
  readonly calls?: readonly { readonly id?: string | null; readonly name: string; readonly arguments: PyDict }[];
  readonly cost?: number | null;
}

export interface ScriptOptions {
  readonly role: Requestor;
  now(): number;
  /** Of lines that state none: 0. */
  readonly cost?: number | null;
  /** Ends the conversation where an agent says it; a user has its own tokens. Without one an agent never stops. */
  readonly stopToken?: string;
}

/** Says its lines one after the other, whatever it hears. A script that runs dry fails loudly. */
export function scriptedParty(script: readonly Line[], how: ScriptOptions): Party {
  let next = 0;
  const say = async (): Promise<SpokenMessage> => {
    const line = script[next++];
    if (line === undefined)
      throw new FlyballError('SCRIPT_EXHAUSTED', `The script of the ${how.role} has only ${script.length} lines.`);
    return spoken(line, how, `${how.role === 'user' ? 'u' : 'a'}${next}`);
  };
  return { open: () => undefined, take: say, begin: say, stops: stopsBy(how) };
}

function spoken(line: Line, how: ScriptOptions, prefix: string): SpokenMessage {
  const calls = (line.calls ?? []).map(
    (call, index): SimCall => ({
      id: call.id ?? `${prefix}_${index}`,
      name: call.name,
      arguments: call.arguments,
      requestor: how.role,
    }),
  );
  return {
    role: how.role,
    content: line.text ?? null,
    calls,
    ...(line.calls !== undefined && calls.length === 0 ? { emptyCallList: true as const } : {}),
    cost: line.cost === undefined ? (how.cost ?? (how.cost === null ? null : 0)) : line.cost,
    at: how.now(),
  };
}

function stopsBy({ role, stopToken }: ScriptOptions): Party['stops'] {
  if (role === 'user') return userStops;
  return (message) => stopToken !== undefined && message.content?.includes(stopToken) === true;
}

/** Answers everybody with the same sentence and does nothing: the floor of every measurement. */
export function silentAgent(how: Pick<ScriptOptions, 'now'>): Party {
  const say = async (): Promise<SpokenMessage> => ({
    role: 'assistant',
    content: 'I cannot do anything about that.',
    calls: [],
    cost: 0,
    at: how.now(),
  });
  return { open: () => undefined, take: say, begin: say, stops: () => false };
}
