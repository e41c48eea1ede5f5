import type { FinishReason, Message, ToolChoice } from '../../core/model.js';
import {
  argumentText,
  argumentValue,
  contentParts,
  type Fields,
  fieldsOf,
  listOf,
  numberOf,
  present,
  textOf,
} from './json-fields.js';
import { stopFrom } from './openai-chat.js';
import { type FullReply, type ServedRequest, sse, type Wire, words } from './wire.js';

const FINISH: Readonly<Record<FinishReason, string>> = {
  stop: 'STOP',
  tool_calls: 'STOP', // Gemini knows no other word for a reply that proposes calls
  length: 'MAX_TOKENS',
  content_filter: 'SAFETY',
  error: 'MALFORMED_FUNCTION_CALL',
};

/** Gemini `generateContent` and `streamGenerateContent`: arguments as objects, calls without ids. */
export const gemini: Wire = {
  format: 'gemini',
  path: /^(\/[\w.-]+)*\/models\/[^/]+:(generateContent|streamGenerateContent)$/,
  streamType: 'text/event-stream; charset=utf-8',
  frame: sse,
  end: '',
  parse(given, path) {
    const body = fieldsOf(given);
    const config = fieldsOf(body['generationConfig']);
    const schema = config['responseSchema'] ?? config['responseJsonSchema'];
    const system = textsIn(fieldsOf(body['systemInstruction'])['parts']);
    return {
      model: /\/models\/([^/:]+):/.exec(path)?.[1] ?? '',
      stream: path.includes(':streamGenerateContent'),
      messages: [
        ...system.map((content): Message => ({ role: 'system', content })),
        ...listOf(body['contents']).flatMap(messagesFrom),
      ],
      tools: listOf(body['tools']).flatMap((each) => listOf(each['functionDeclarations']).map(toolFrom)),
      toolChoice: choiceFrom(fieldsOf(fieldsOf(body['toolConfig'])['functionCallingConfig'])),
      ...(schema === undefined ? {} : { output: fieldsOf(schema) }),
      sampling: present({
        maxOutputTokens: numberOf(config['maxOutputTokens']),
        temperature: numberOf(config['temperature']),
        topP: numberOf(config['topP']),
        seed: numberOf(config['seed']),
        stop: stopFrom(config['stopSequences']),
        logProbs: config['responseLogprobs'] === true ? (numberOf(config['logprobs']) ?? 0) : undefined,
      }),
    };
  },
  whole: (reply, to) => frameOf(to, partsOf(reply), { finishReason: FINISH[reply.finish] }, usageOf(reply)),
  parts(reply, to) {
    const said = [
      ...words(reply.reasoning ?? '').map((text) => ({ text, thought: true })),
      ...words(reply.text).map((text) => ({ text })),
      ...callsOf(reply),
    ].map((part) => frameOf(to, [part]));
    const signature = reply.toolCalls.length > 0 ? undefined : signatureOf(reply); // signed on the call
    const last = frameOf(
      to,
      signature === undefined ? [{ text: '' }] : [{ text: '', thoughtSignature: signature }],
      { finishReason: FINISH[reply.finish] },
      usageOf(reply),
    );
    return [...said, last];
  },
  refusal: ({ message, code, status }) => ({ error: { code: status, message, status: code } }),
};

function frameOf(to: ServedRequest, parts: readonly unknown[], ending: Fields = {}, usage: Fields = {}): unknown {
  return {
    candidates: [{ content: { role: 'model', parts }, index: 0, ...ending }],
    ...usage,
    modelVersion: to.model,
    responseId: `response-${to.n}`,
  };
}

function partsOf(reply: FullReply): readonly unknown[] {
  const signature = reply.toolCalls.length > 0 ? undefined : signatureOf(reply); // signed on the call
  return [
    ...(reply.reasoning === undefined ? [] : [{ text: reply.reasoning, thought: true }]),
    ...(reply.text === '' ? [] : [{ text: reply.text, ...present({ thoughtSignature: signature }) }]),
    ...callsOf(reply),
  ];
}

/** Gemini signs its thoughts on the first call, or on the text where there is none. */
function callsOf(reply: FullReply): readonly unknown[] {
  const signature = signatureOf(reply);
  return reply.toolCalls.map(({ name, arguments: given }, index) => ({
    functionCall: { name, args: argumentValue(given) },
    ...(index === 0 ? present({ thoughtSignature: signature }) : {}),
  }));
}

function signatureOf({ opaqueReasoning }: FullReply): string | undefined {
  return typeof opaqueReasoning === 'string' ? opaqueReasoning : undefined;
}

function usageOf({ usage }: FullReply): Fields {
  return {
    usageMetadata: {
      promptTokenCount: usage.input,
      candidatesTokenCount: usage.output,
      totalTokenCount: usage.input + usage.output,
      ...present({ cachedContentTokenCount: usage.cacheRead }),
    },
  };
}

function toolFrom(given: Fields): { name: string; description: string; input: Fields } {
  return {
    name: textOf(given['name']),
    description: textOf(given['description']),
    input: fieldsOf(given['parameters'] ?? given['parametersJsonSchema']),
  };
}

function choiceFrom(config: Fields): ToolChoice {
  const [tool] = Array.isArray(config['allowedFunctionNames']) ? config['allowedFunctionNames'] : [];
  if (typeof tool === 'string') return { tool };
  const mode = textOf(config['mode']);
  return mode === 'ANY' ? 'required' : mode === 'NONE' ? 'none' : 'auto';
}

function textsIn(parts: unknown): readonly string[] {
  return listOf(parts)
    .filter((part) => part['thought'] !== true && typeof part['text'] === 'string')
    .map((part) => textOf(part['text']));
}

/** Results of calls come in a user turn, by name: this wire has no call ids unless the client adds them. */
function messagesFrom(given: Fields): readonly Message[] {
  const parts = listOf(given['parts']);
  if (given['role'] === 'model') return [modelTurn(parts)];
  return parts.map((part): Message => {
    if (part['functionResponse'] === undefined)
      return { role: 'user', content: textOf(part['text']), ...contentParts([part]) };
    const response = fieldsOf(part['functionResponse']);
    const name = textOf(response['name']);
    const content = fieldsOf(response['response'])['content'];
    return {
      role: 'tool',
      content: typeof content === 'string' ? content : JSON.stringify(response['response']),
      toolCallId: textOf(response['id']),
      name,
    };
  });
}

function modelTurn(parts: readonly Fields[]): Message {
  const calls = parts
    .filter((part) => part['functionCall'] !== undefined)
    .map((part) => {
      const call = fieldsOf(part['functionCall']);
      return { id: textOf(call['id']), name: textOf(call['name']), arguments: argumentText(call['args']) };
    });
  const thoughts = parts.filter((part) => part['thought'] === true).map((part) => textOf(part['text']));
  const signature = parts.map((part) => part['thoughtSignature']).find((each) => each !== undefined);
  return {
    role: 'assistant',
    content: textsIn(parts).join(''),
    ...(calls.length === 0 ? {} : { toolCalls: calls }),
    ...(thoughts.length === 0 && signature === undefined
      ? {}
      : { reasoning: { text: thoughts.join(''), ...(signature === undefined ? {} : { opaque: signature }) } }),
  };
}
