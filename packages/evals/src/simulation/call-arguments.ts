import type { ToolCall } from 'flyball';
import { FlyballError } from 'flyball';
import { dumpJson, parseJson } from '../tau2/python/json.js';
import { type PyDict, PyError } from '../tau2/python/value.js';
import type { Requestor, SimCall } from '../world/message.js';

/** A model's call as the trajectory holds it. Arguments that are no JSON object fail the simulation, as in the reference. */
export function simCall(call: ToolCall, requestor: Requestor): SimCall {
  return { id: call.id, name: call.name, arguments: argumentsOf(call), requestor };
}

export function toolCall(call: SimCall): ToolCall {
  return { id: call.id, name: call.name, arguments: dumpJson(call.arguments) };
}

function argumentsOf(call: ToolCall): PyDict {
  const parsed = parsedOf(call);
  if (parsed instanceof Map) return parsed;
  throw malformed(call, 'they are not a JSON object');
}

function parsedOf(call: ToolCall): ReturnType<typeof parseJson> {
  try {
    return parseJson(call.arguments);
  } catch (error) {
    if (error instanceof PyError) throw malformed(call, error.message);
    throw error;
  }
}

function malformed(call: ToolCall, why: string): FlyballError {
  return new FlyballError('REPLY_INVALID', `The arguments of the call ${call.name} cannot be read: ${why}.`, {
    retryable: true,
    detail: { call: call.name },
  });
}
