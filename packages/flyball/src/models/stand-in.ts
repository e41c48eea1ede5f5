import type { Message, Model, ModelReply, ModelRequest } from '../core/model.js';
import { outputLimit } from './waste.js';

/** A model in a chain, under the name by which it was resolved. */
export interface Candidate {
  readonly model: Model;
  readonly provider: string;
}

/** The request as a stand-in gets it: under its own name, within its own output limit, without another vendor's secrets. */
export function requestFor(candidate: Candidate, asked: Candidate, request: ModelRequest): ModelRequest {
  if (candidate === asked) return request;
  const { model } = candidate;
  return {
    ...request,
    model: model.id,
    messages: candidate.provider === asked.provider ? request.messages : request.messages.map(withoutReasoning),
    sampling: samplingFor(model, request),
  };
}

/** How to draw was meant for the model that was asked: a stand-in that is known to refuse it goes without. */
function samplingFor(model: Model, request: ModelRequest): ModelRequest['sampling'] {
  const { temperature, topP, ...rest } = request.sampling;
  const isRefused = model.capabilities.temperature === false;
  return {
    ...rest,
    ...(temperature === undefined || isRefused ? {} : { temperature }),
    ...(topP === undefined || isRefused ? {} : { topP }),
    ...(rest.maxOutputTokens === undefined ? {} : { maxOutputTokens: outputLimit(model, request) }),
  };
}

/** The reply says who gave it. Opaque reasoning goes back with the next turn, which asks the first model again. */
export function replyFrom(candidate: Candidate, asked: Candidate, reply: ModelReply): ModelReply {
  if (candidate === asked) return reply;
  const { opaqueReasoning, ...rest } = reply;
  const keep = candidate.provider === asked.provider && opaqueReasoning !== undefined;
  return { ...rest, ...(keep ? { opaqueReasoning } : {}), model: reply.model ?? candidate.model.id };
}

// signatures and encrypted blocks of one vendor are an error to another
function withoutReasoning(message: Message): Message {
  if (message.role !== 'assistant' || message.reasoning === undefined) return message;
  const { reasoning: _, ...rest } = message;
  return rest;
}
