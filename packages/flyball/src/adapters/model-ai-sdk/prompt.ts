import type { LanguageModelV3Message, LanguageModelV3Prompt, LanguageModelV3ToolResultPart } from '@ai-sdk/provider';
import type { Message } from '../../core/model.js';
import { isMedia, sentParts } from '../../core/parts.js';
import { argumentObjectIn } from '../../core/read-json.js';
import { mediaAfterResults } from '../../core/results-apart.js';
import type { SdkMetadata } from './language-model.js';
import { metadataFrom } from './metadata.js';

export interface PromptManner {
  /** What marks the end of a cached prefix; undefined where markers mean nothing. */
  readonly cacheMarker: SdkMetadata | undefined;
  /** System text is taken only at the beginning. */
  readonly leadingSystemOnly: boolean;
}

type AssistantParts = Extract<LanguageModelV3Message, { role: 'assistant' }>['content'];
type Assistant = Message & { readonly role: 'assistant' };
type ToolMessage = Message & { readonly role: 'tool' };

/** Our messages as the AI SDK takes them. Results that follow each other are one message there. */
export function promptOf(messages: readonly Message[], manner: PromptManner): LanguageModelV3Prompt {
  const prompt: LanguageModelV3Prompt = [];
  const names = callNames(messages);
  for (const message of mediaAfterResults(messages)) {
    const marker =
      message.cache === true && manner.cacheMarker !== undefined ? { providerOptions: manner.cacheMarker } : {};
    switch (message.role) {
      case 'system': {
        const late = manner.leadingSystemOnly && prompt.some(({ role }) => role !== 'system');
        // said as the user then: a provider that refuses it there would refuse the whole conversation
        if (late) prompt.push({ role: 'user', content: [{ type: 'text', text: message.content }], ...marker });
        else prompt.push({ role: 'system', content: message.content, ...marker });
        break;
      }
      case 'user':
        prompt.push({ role: 'user', content: userParts(message), ...marker });
        break;
      case 'assistant': {
        const content = assistantParts(message);
        if (content.length > 0) prompt.push({ role: 'assistant', content, ...marker }); // an empty turn is refused
        break;
      }
      case 'tool': {
        const part = { ...resultPart(message, names), ...marker };
        const last = prompt.at(-1);
        if (last?.role === 'tool') last.content.push(part);
        else prompt.push({ role: 'tool', content: [part] });
      }
    }
  }
  return prompt;
}

type UserParts = Extract<LanguageModelV3Message, { role: 'user' }>['content'];

function userParts({ content, parts }: Message): UserParts {
  if (parts === undefined) return [{ type: 'text', text: content }];
  return sentParts(parts).map((part) => {
    if (!isMedia(part)) return { type: 'text', text: part.text };
    const { mediaType, data, name } = part;
    return { type: 'file', mediaType, data, ...(name === undefined ? {} : { filename: name }) };
  });
}

function callNames(messages: readonly Message[]): ReadonlyMap<string, string> {
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
  return new Map(calls.map(({ id, name }) => [id, name]));
}

function resultPart(message: ToolMessage, names: ReadonlyMap<string, string>): LanguageModelV3ToolResultPart {
  return {
    type: 'tool-result',
    toolCallId: message.toolCallId,
    toolName: message.name ?? names.get(message.toolCallId) ?? 'unknown',
    output: { type: 'text', value: message.content },
  };
}

function assistantParts(message: Assistant): AssistantParts {
  const { reasoning, content, toolCalls = [] } = message;
  const kept = metadataFrom(reasoning?.opaque);
  const thoughts =
    kept.reasoning ?? (reasoning === undefined || reasoning.text === '' ? [] : [{ text: reasoning.text }]);
  return [
    ...thoughts.map(({ text, metadata }) => ({ type: 'reasoning' as const, text, ...optionsOf(metadata) })),
    ...(content === '' ? [] : [{ type: 'text' as const, text: content, ...optionsOf(kept.text) }]),
    ...toolCalls.map(({ id, name, arguments: given }) => ({
      type: 'tool-call' as const,
      toolCallId: id,
      toolName: name,
      input: inputOf(given),
      ...optionsOf(kept.calls?.[id]),
    })),
  ];
}

function optionsOf(metadata: SdkMetadata | undefined): { providerOptions?: SdkMetadata } {
  return metadata === undefined ? {} : { providerOptions: metadata };
}

/** Providers take arguments as an object; a model that wrote something else is shown what it wrote. */
function inputOf(given: string): unknown {
  return argumentObjectIn(given) ?? { malformed: given };
}
