import type { MediaPart, MessagePart, RunHandle } from 'flyball';
import { isSoundMedia, mediaIn, textOf } from 'flyball/internal';
import { flawOf } from '../access/json-text.js';
import { startRun } from '../agents/admission.js';
import type { Completion, TranscriptMessage } from '../agents/completion.js';
import type { ServedAgent } from '../agents/served-agent.js';
import type { ChatMessage, ChatPart, ChatRequest } from '../contract/chat-completions.js';
import type { ServerRequest } from '../contract/route.js';
import type { Parts } from '../parts.js';
import { Problem } from '../problem.js';
import { agentNamed } from './agents.js';

/** Whether a transcript can be given to it. One that waits for its messages itself has a conversation only. */
export function answersTranscripts({ waitsForMessages }: ServedAgent): boolean {
  return !waitsForMessages;
}

/** The run that answers a chat request: one for each request, since the client keeps the transcript. */
export async function startCompletion(
  parts: Parts,
  request: ServerRequest<unknown, unknown, ChatRequest>,
): Promise<{ readonly agent: ServedAgent; readonly handle: RunHandle }> {
  const { body } = request;
  const agent = agentNamed(parts.directory, body.model);
  if (!answersTranscripts(agent))
    throw new Problem(400, 'INPUT_INVALID', `${agent.name} manages its own conversation.`, {
      next: 'Use /v1/conversations.',
    });
  const messages = body.messages.map(transcriptMessage);
  const last = messages.at(-1);
  if (last?.role !== 'user' || (typeof last.content === 'string' && last.content.trim() === ''))
    throw new Problem(400, 'INPUT_INVALID', 'The last message must be from the user and must not be empty.');
  const budget = boundOf(agent, body);
  const temperature = body.temperature as number | null | undefined;
  if (agent.defined !== undefined) {
    const input: Completion = { messages, ...(typeof temperature === 'number' ? { temperature } : {}) };
    return { agent, handle: await startRun(parts, request, { agent, mode: 'completion', input, ...budget }) };
  }
  if (typeof temperature === 'number')
    throw new Problem(400, 'INPUT_INVALID', `${agent.name} does not support temperature.`, { next: 'Omit it.' });
  const input = typeof last.content === 'string' ? inputOf(last.content) : last.content;
  return { agent, handle: await startRun(parts, request, { agent, input, ...budget }) };
}

function transcriptMessage({ role, content }: ChatMessage): TranscriptMessage {
  const by = role === 'user' || role === 'assistant' ? role : 'client';
  if (typeof content === 'string') return { role: by, content };
  const said = content.map(partIn);
  const isText = mediaIn(said).length === 0;
  if (!isText && by !== 'user')
    throw new Problem(400, 'INPUT_INVALID', 'Only messages of the user can have images, audio and files.');
  return { role: by, content: isText ? textOf(said) : said };
}

/** Parts as OpenAI's clients write them. What they say about detail is the model's to decide here. */
function partIn(part: ChatPart): MessagePart {
  switch (part.type) {
    case 'text':
      return part;
    case 'image_url':
      return held(part.image_url.url);
    case 'input_audio': {
      const { data, format } = part.input_audio;
      return soundPart({ type: 'audio', mediaType: format === 'mp3' ? 'audio/mpeg' : 'audio/wav', data });
    }
    case 'file':
      return held(part.file.file_data, part.file.filename);
  }
}

function held(url: string, name?: string): MediaPart {
  const [, mediaType = '', data = ''] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  const kind = mediaType.split('/', 1)[0];
  const type = kind === 'image' || kind === 'audio' ? kind : 'file';
  return soundPart({ type, mediaType, data, ...(name === undefined ? {} : { name }) });
}

function soundPart(part: MediaPart): MediaPart {
  if (isSoundMedia(part)) return part;
  throw new Problem(400, 'INPUT_INVALID', `The ${part.type} is not valid base64 of ${part.mediaType}.`);
}

/** Clients send a limit that they think any model has: what is above the agent's own changes nothing. */
function boundOf(
  { budget: own }: ServedAgent,
  { max_tokens, max_completion_tokens }: ChatRequest,
): { readonly budget?: { readonly tokensOut: number } } {
  const asked = (max_completion_tokens ?? max_tokens ?? undefined) as number | undefined;
  return asked === undefined ? {} : { budget: { tokensOut: Math.min(asked, own.tokensOut) } };
}

/** A workflow, or an agent that is code, takes the last message: as its inputs where that is a JSON object. */
function inputOf(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text; // not JSON: words
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return text;
  const flaw = flawOf(text); // a body inside the body: the same rules hold for it
  if (flaw === undefined) return value;
  throw new Problem(400, 'INPUT_INVALID', `The last message is a JSON object that ${flaw}.`);
}
