import type { JSONObject, JSONSchema7, LanguageModelV3ToolChoice } from '@ai-sdk/provider';
import type { ModelRequest, ToolChoice } from '../../core/model.js';
import type { SdkMetadata, SdkOptions } from './language-model.js';
import { merged } from './metadata.js';
import { type PromptManner, promptOf } from './prompt.js';

export interface CallManner extends PromptManner {
  readonly namespace: string;
  readonly structuredOutput: boolean;
  /** What the provider is told with every call. */
  readonly providerOptions: SdkMetadata | undefined;
}

const STANDARD = ['topK', 'presencePenalty', 'frequencyPenalty'] as const;

export function callOptions(request: ModelRequest, manner: CallManner, abortSignal: AbortSignal): SdkOptions {
  const { sampling, tools, output, messages } = request;
  const { maxOutputTokens, temperature, topP, seed, stop } = sampling;
  const providerOptions = merged(manner.providerOptions, ownOptions(request, manner));
  return {
    prompt: promptOf(messages, manner),
    abortSignal,
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(seed === undefined ? {} : { seed }),
    ...(stop === undefined || stop.length === 0 ? {} : { stopSequences: [...stop] }),
    ...standardSettings(sampling.vendor ?? {}),
    ...(tools.length === 0 ? {} : { tools: tools.map(toolOf), toolChoice: choiceOf(request.toolChoice) }),
    ...(output === undefined || !manner.structuredOutput
      ? {}
      : { responseFormat: { type: 'json' as const, schema: output as JSONSchema7, name: 'reply' } }),
    ...(providerOptions === undefined ? {} : { providerOptions }),
  };
}

function toolOf({ name, description, input }: ModelRequest['tools'][number]): NonNullable<SdkOptions['tools']>[number] {
  return { type: 'function', name, description, inputSchema: input as JSONSchema7 };
}

function choiceOf(choice: ToolChoice): LanguageModelV3ToolChoice {
  return typeof choice === 'string' ? { type: choice } : { type: 'tool', toolName: choice.tool };
}

/** Settings that the interface itself has words for, though our port does not. */
function standardSettings(vendor: Readonly<Record<string, unknown>>): Partial<SdkOptions> {
  const given = STANDARD.filter((name) => typeof vendor[name] === 'number');
  return Object.fromEntries(given.map((name) => [name, vendor[name]]));
}

/** Each vendor has a word of its own for it. */
function effortOf(effort: string | undefined, namespace: string): Readonly<Record<string, unknown>> {
  if (effort === undefined) return {};
  if (namespace === 'anthropic') return { effort };
  if (namespace === 'google' || namespace === 'vertex') return { thinkingConfig: { thinkingLevel: effort } };
  return { reasoningEffort: effort };
}

/** Vendor settings, under the provider's name; log-probabilities are one of them here. */
function ownOptions({ sampling }: ModelRequest, { namespace }: CallManner): SdkMetadata | undefined {
  const vendor = Object.entries(sampling.vendor ?? {}).filter(([name]) => !STANDARD.some((known) => known === name));
  const own = {
    ...effortOf(sampling.reasoningEffort, namespace),
    ...(sampling.logProbs === undefined ? {} : { logprobs: sampling.logProbs > 0 ? sampling.logProbs : true }),
    ...Object.fromEntries(vendor),
  };
  return Object.keys(own).length === 0 ? undefined : { [namespace]: own as JSONObject };
}
