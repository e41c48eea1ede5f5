import type { ServerReplyParts } from './server-script.js';
import type { WireFormat, WireRefusal } from './wire.js';

type Refused = '429' | '500' | '503' | 'context-length' | 'rejected';

const SENTENCES: Readonly<Record<Exclude<Refused, 'context-length' | 'rejected'>, string>> = {
  '429': 'Rate limit reached for requests. Please try again later.',
  '500': 'The server had an error while processing your request.',
  '503': 'The engine is currently overloaded. Please try again later.',
};

const STATUS: Readonly<Record<Refused, number>> = {
  '429': 429,
  '500': 500,
  '503': 503,
  'context-length': 400,
  rejected: 400,
};

/** The vendors' own words: clients tell failures apart by them. */
const CODES: Readonly<Record<WireFormat, Readonly<Record<Refused, string>>>> = {
  'openai-chat': openAiCodes(),
  'openai-responses': openAiCodes(),
  ollama: openAiCodes(), // Ollama says a sentence and no code
  anthropic: {
    '429': 'rate_limit_error',
    '500': 'api_error',
    '503': 'overloaded_error',
    'context-length': 'invalid_request_error',
    rejected: 'invalid_request_error',
  },
  gemini: {
    '429': 'RESOURCE_EXHAUSTED',
    '500': 'INTERNAL',
    '503': 'UNAVAILABLE',
    'context-length': 'INVALID_ARGUMENT',
    rejected: 'INVALID_ARGUMENT',
  },
};

const TOO_LONG: Readonly<Record<WireFormat, string>> = {
  'openai-chat': "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
  'openai-responses': 'Your input exceeds the context window of this model. Please adjust your input and try again.',
  anthropic: 'prompt is too long: 200001 tokens > 200000 maximum',
  gemini: 'The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).',
  ollama: 'the input length exceeds the context length',
};

/** The refusal that a reply stands for; undefined when it is one that is answered. */
export function refusalOf(reply: ServerReplyParts, format: WireFormat): WireRefusal | undefined {
  const { refuse, misbehave } = reply;
  if (refuse !== undefined) {
    const kind = refuse.status === 429 ? '429' : refuse.status >= 500 ? '500' : 'rejected';
    return { code: CODES[format][kind], message: 'The request was refused.', ...refuse };
  }
  switch (misbehave) {
    case '429':
    case '500':
    case '503':
      return { status: STATUS[misbehave], message: SENTENCES[misbehave], code: CODES[format][misbehave] };
    case 'context-length':
      return { status: STATUS[misbehave], message: TOO_LONG[format], code: CODES[format][misbehave] };
    default:
      return undefined;
  }
}

/** A refusal that no client should try again: the script is wrong, not the weather. */
export function scriptProblem(message: string, format: WireFormat): WireRefusal {
  return { status: STATUS.rejected, message, code: CODES[format].rejected };
}

function openAiCodes(): Readonly<Record<Refused, string>> {
  return {
    '429': 'rate_limit_exceeded',
    '500': 'server_error',
    '503': 'server_error',
    'context-length': 'context_length_exceeded',
    rejected: 'invalid_request_error',
  };
}
