import type { Message, ModelRequest, ToolCall, ToolSpec } from '../../core/model.js';
import { mediaIn, sentParts, textOf } from '../../core/parts.js';
import { argumentObjectIn } from '../../core/read-json.js';
import { mediaAfterResults } from '../../core/results-apart.js';
import { type Fields, fieldsOf } from './json-fields.js';
import { messageWriter, objectJson, toolNameOf, toolWriter } from './request-json.js';

export interface OllamaManner {
  readonly model: string;
  /** Ollama cuts prompts to 4,096 tokens without a word unless it is told the window. */
  readonly window: number;
  readonly structuredOutput: boolean;
  readonly think: boolean | 'low' | 'medium' | 'high' | undefined;
}

/** Requests as `/api/chat` takes them, as JSON text. */
export function ollamaWriter(manner: OllamaManner): (request: ModelRequest, stream: boolean) => string {
  const writeTools = toolWriter();
  const writeMessages = messageWriter(messageOnWire);
  return (request, stream) => {
    const { output, sampling } = request;
    const { vendor = {}, logProbs, reasoningEffort } = sampling;
    const fields = {
      model: manner.model,
      stream,
      think: reasoningEffort ?? manner.think,
      ...(output === undefined || !manner.structuredOutput ? {} : { format: output }),
      ...(logProbs === undefined ? {} : { logprobs: true, top_logprobs: logProbs > 0 ? logProbs : undefined }),
      ...vendor,
      options: { ...optionsFor(request, manner), ...fieldsOf(vendor['options']) },
    };
    const tools = offered(request);
    return objectJson(fields, {
      messages: writeMessages(mediaAfterResults(request.messages)),
      tools: tools.length === 0 ? undefined : writeTools(tools),
    });
  };
}

function optionsFor({ sampling }: ModelRequest, { window }: OllamaManner): Fields {
  const { maxOutputTokens, temperature, topP, seed, stop } = sampling;
  return {
    num_ctx: window,
    num_predict: maxOutputTokens,
    temperature,
    top_p: topP,
    seed,
    stop: stop === undefined || stop.length === 0 ? undefined : stop,
  };
}

/** Ollama takes no tool choice: what must not be called is not offered. It cannot be made to call one. */
function offered({ tools, toolChoice }: ModelRequest): readonly ToolSpec[] {
  if (toolChoice === 'none') return [];
  return typeof toolChoice === 'string' ? tools : tools.filter(({ name }) => name === toolChoice.tool);
}

function messageOnWire(message: Message, asked: readonly Message[]): unknown {
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, ...contentOnWire(message) };
    case 'tool':
      return {
        role: 'tool',
        content: message.content,
        tool_name: toolNameOf(message, asked),
        tool_call_id: message.toolCallId,
      };
    case 'assistant': {
      const { toolCalls = [], reasoning } = message;
      return {
        role: 'assistant',
        content: message.content,
        ...(reasoning === undefined || reasoning.text === '' ? {} : { thinking: reasoning.text }),
        ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls.map(callOnWire) }),
      };
    }
  }
}

/** Images stand beside the text here, in which they are named. */
function contentOnWire({ content, parts }: Message): Fields {
  if (parts === undefined) return { content };
  const sent = sentParts(parts);
  return { content: textOf(sent), images: mediaIn(sent).map(({ data }) => data) };
}

function callOnWire({ id, name, arguments: given }: ToolCall): unknown {
  return { id, function: { name, arguments: argumentObject(given) } };
}

/** Ollama takes arguments only as an object, and refuses the whole conversation otherwise. */
function argumentObject(given: string): Fields {
  return argumentObjectIn(given) ?? { malformed: given };
}
