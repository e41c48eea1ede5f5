import type {
  LanguageModelV2,
  LanguageModelV2CallOptions,
  LanguageModelV2Content,
  LanguageModelV2StreamPart,
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Content,
  LanguageModelV3StreamPart,
  SharedV3ProviderMetadata,
} from '@ai-sdk/provider';
import { ConfigError } from '../../core/errors.js';

/** A model of an AI SDK provider. The two versions differ in how they report usage and why a reply ended. */
export type SdkModel = LanguageModelV2 | LanguageModelV3;
export type SdkOptions = LanguageModelV3CallOptions;
export type SdkContent = LanguageModelV2Content | LanguageModelV3Content;
export type SdkStreamPart = LanguageModelV2StreamPart | LanguageModelV3StreamPart;
/** What a provider adds for itself, by its name. */
export type SdkMetadata = SharedV3ProviderMetadata;

export interface SdkEnd {
  readonly usage: unknown;
  readonly finishReason: unknown;
  readonly providerMetadata?: SdkMetadata | undefined;
}

/** The same call of either version: what we put into a prompt means the same in both. */
export interface SdkCalls {
  generate(options: SdkOptions): PromiseLike<SdkEnd & { readonly content: readonly SdkContent[] }>;
  stream(options: SdkOptions): PromiseLike<{ readonly stream: ReadableStream<SdkStreamPart> }>;
}

export function callsOf(model: SdkModel): SdkCalls {
  switch (model.specificationVersion) {
    case 'v2':
      return {
        generate: (options) => model.doGenerate(options as LanguageModelV2CallOptions),
        stream: (options) => model.doStream(options as LanguageModelV2CallOptions),
      };
    case 'v3':
      return { generate: (options) => model.doGenerate(options), stream: (options) => model.doStream(options) };
    default:
      throw new ConfigError(
        `This AI SDK model speaks ${String((model as { specificationVersion?: unknown }).specificationVersion)}; versions v2 and v3 of the ` +
          'provider interface are known. Install a provider package of the 2.x or 3.x line.',
      );
  }
}

/** The name under which a provider takes and gives its own options: `anthropic` of `anthropic.messages`. */
export function namespaceOf({ provider }: Pick<SdkModel, 'provider'>): string {
  return provider.split('.', 1)[0] ?? provider;
}
