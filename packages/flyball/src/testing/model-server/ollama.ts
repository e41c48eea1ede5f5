import type { Message, ToolCall } from '../../core/model.js';
import {
  argumentText,
  argumentValue,
  type Fields,
  fieldsOf,
  listOf,
  mediaOf,
  numberOf,
  present,
  textOf,
} from './json-fields.js';
import { functionsFrom, logProbOnWire, stopFrom } from './openai-chat.js';
import { CREATED, type FullReply, type ServedRequest, type Wire, words } from './wire.js';

/** Ollama `/api/chat`: lines of JSON, arguments as objects, calls without ids. */
export const ollama: Wire = {
  format: 'ollama',
  path: /^\/api\/chat$/,
  streamType: 'application/x-ndjson',
  frame: (part) => `${JSON.stringify(part)}\n`,
  end: '',
  parse(given) {
    const body = fieldsOf(given);
    const options = fieldsOf(body['options']);
    return {
      model: textOf(body['model']),
      stream: body['stream'] !== false, // Ollama streams unless told not to
      messages: listOf(body['messages']).map(messageFrom),
      tools: functionsFrom(body['tools']),
      toolChoice: 'auto',
      ...(typeof body['format'] === 'object' ? { output: fieldsOf(body['format']) } : {}),
      sampling: present({
        maxOutputTokens: numberOf(options['num_predict']),
        temperature: numberOf(options['temperature']),
        topP: numberOf(options['top_p']),
        seed: numberOf(options['seed']),
        stop: stopFrom(options['stop']),
        logProbs: body['logprobs'] === true ? (numberOf(body['top_logprobs']) ?? 0) : undefined,
      }),
    };
  },
  whole: (reply, to) => ({
    ...frameOf(to),
    message: {
      role: 'assistant',
      content: reply.text,
      ...present({ thinking: reply.reasoning }),
      ...(reply.toolCalls.length === 0 ? {} : { tool_calls: reply.toolCalls.map(callOnWire) }),
    },
    ...ending(reply),
    ...present({ logprobs: reply.logProbs?.map(logProbOnWire) }),
  }),
  parts(reply, to) {
    const line = (message: Fields): unknown => ({
      ...frameOf(to),
      message: { role: 'assistant', content: '', ...message },
      done: false,
    });
    return [
      ...words(reply.reasoning ?? '').map((thinking) => line({ thinking })),
      ...words(reply.text).map((content) => line({ content })),
      ...reply.toolCalls.map((call) => line({ tool_calls: [callOnWire(call)] })),
      {
        ...frameOf(to),
        message: { role: 'assistant', content: '' },
        ...ending(reply),
        ...present({ logprobs: reply.logProbs?.map(logProbOnWire) }),
      },
    ];
  },
  refusal: ({ message }) => ({ error: message }),
};

function frameOf(to: ServedRequest): Fields {
  return { model: to.model, created_at: new Date(CREATED * 1000).toISOString() };
}

/** Ollama knows no `tool_calls`: a reply that proposes calls has stopped like any other. */
function ending({ finish, usage }: FullReply): Fields {
  return {
    done: true,
    done_reason: finish === 'tool_calls' ? 'stop' : finish,
    total_duration: 1_000_000,
    prompt_eval_count: usage.input,
    eval_count: usage.output,
  };
}

function callOnWire(call: ToolCall): unknown {
  return { function: { name: call.name, arguments: argumentValue(call.arguments) } };
}

/** Images stand beside the text, without a type. */
function imagesFrom(given: Fields, text: string): Pick<Message, 'parts'> {
  const images = Array.isArray(given['images'])
    ? given['images'].map((data) => mediaOf('image/png', textOf(data)))
    : [];
  return images.length === 0 ? {} : { parts: [{ type: 'text', text }, ...images] };
}

function messageFrom(given: Fields): Message {
  const content = textOf(given['content']);
  const role = textOf(given['role']);
  if (role === 'tool') {
    const name = textOf(given['tool_name']);
    return { role, content, toolCallId: textOf(given['tool_call_id']), ...(name === '' ? {} : { name }) };
  }
  if (role !== 'assistant')
    return { role: role === 'user' ? 'user' : 'system', content, ...imagesFrom(given, content) };
  const calls = listOf(given['tool_calls']).map((call) => {
    const called = fieldsOf(call['function']);
    return { id: textOf(call['id']), name: textOf(called['name']), arguments: argumentText(called['arguments']) };
  });
  const thinking = given['thinking'];
  return {
    role,
    content,
    ...(calls.length === 0 ? {} : { toolCalls: calls }),
    ...(typeof thinking === 'string' ? { reasoning: { text: thinking } } : {}),
  };
}
