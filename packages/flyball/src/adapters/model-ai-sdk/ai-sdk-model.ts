import { billed, type ReplyWithoutBill } from '../../core/bill.js';
import { ConfigError } from '../../core/errors.js';
import type { Model, ModelCallContext, ModelCapabilities, Price } from '../../core/model.js';
import { tellingUsage } from '../../core/streamed-usage.js';
import { type CountText, requestCounter } from '../../core/token-count.js';
import { ANTHROPIC_MEDIA, GEMINI_MEDIA, OPENAI_MEDIA, type VendorMedia } from '../../core/vendor-media.js';
import { underSignal } from './abort.js';
import { type CallManner, callOptions } from './call-options.js';
import { type Callee, failureFrom } from './failures.js';
import { callsOf, namespaceOf, type SdkCalls, type SdkMetadata, type SdkModel } from './language-model.js';
import { merged } from './metadata.js';
import { ReplyParts } from './reply-parts.js';
import { readStream } from './stream.js';

/** Options of `aiSdkModel`. */
export interface AiSdkModelOptions {
  /** `provider/model`; what the SDK calls it where nothing is said. */
  readonly id?: string;
  readonly capabilities?: Partial<ModelCapabilities>;
  readonly price?: Price;
  /** Settings of the provider's own, by its name in the SDK, for every call. */
  readonly providerOptions?: SdkMetadata;
  /** `when-observed`, the default, streams exactly the calls whose deltas somebody listens to. */
  readonly stream?: boolean | 'when-observed';
  /** Counts tokens exactly. Without it every byte counts as one, which is never too few. */
  readonly countText?: CountText;
  /** Texts that no error may repeat, such as the API key. */
  readonly secrets?: readonly string[];
}

const CAPABILITIES: ModelCapabilities = {
  window: 128_000,
  maxOutputTokens: 4_096,
  tools: true,
  structuredOutput: true,
  promptCache: true,
};

/** Any model of an AI SDK provider, versions v2 and v3 of its interface. */
export function aiSdkModel(model: SdkModel, options: AiSdkModelOptions = {}): Model {
  const calls = callsOf(model);
  const namespace = namespaceOf(model);
  const id = options.id ?? `${namespace}/${model.modelId}`;
  if (!/^[^/]+\/./.test(id)) throw new ConfigError(`A model's id is written provider/model; got "${id}".`);
  const capabilities = {
    ...CAPABILITIES,
    ...(needsMarkers(namespace) ? { promptCache: 'marked' as const } : {}),
    ...mediaOf(model.provider),
    ...options.capabilities,
  };
  const callee: Callee = { id, provider: id.split('/', 1)[0] ?? id, secrets: options.secrets ?? [] };
  const countTokens = requestCounter(options.countText, capabilities.mediaTokens);
  const manner: CallManner = {
    namespace,
    cacheMarker: capabilities.promptCache === 'marked' ? markerFor(namespace) : undefined,
    leadingSystemOnly: /anthropic|google|gemini|vertex|bedrock/.test(model.provider),
    structuredOutput: capabilities.structuredOutput,
    providerOptions: merged(statelessOptions(model.provider, namespace), options.providerOptions),
  };
  return {
    id,
    capabilities,
    ...(options.price === undefined ? {} : { price: options.price }),
    countTokens,
    generate: (request, how) =>
      underSignal(how.signal, async (signal) => {
        const streamed = typeof options.stream === 'boolean' ? options.stream : how.onDelta !== undefined;
        const asked = callOptions(request, manner, signal);
        const onDelta = tellingUsage(how, request, { request: countTokens, text: options.countText });
        const reply = await callFor(calls, { asked, streamed, onDelta, callee });
        return billed(reply, request, countTokens);
      }),
  };
}

async function callFor(
  calls: SdkCalls,
  call: {
    readonly asked: ReturnType<typeof callOptions>;
    readonly streamed: boolean;
    readonly onDelta: ModelCallContext['onDelta'];
    readonly callee: Callee;
  },
): Promise<ReplyWithoutBill> {
  const { asked, streamed, onDelta, callee } = call;
  const parts = new ReplyParts(onDelta);
  try {
    if (streamed) return parts.result(await readStream((await calls.stream(asked)).stream, parts, callee));
    const whole = await calls.generate(asked);
    whole.content.forEach((part, index) => {
      if (part.type === 'text') parts.addText(part.text, part.providerMetadata);
      else if (part.type === 'reasoning') parts.addThought(String(index), part.text, part.providerMetadata);
      else if (part.type === 'tool-call') parts.addCall(part);
    });
    return parts.result(whole);
  } catch (error) {
    throw failureFrom(callee, error);
  }
}

/** What the vendor's models take beside text. Of others nothing is assumed. */
function mediaOf(provider: string): Partial<VendorMedia> {
  if (/anthropic/.test(provider)) return ANTHROPIC_MEDIA;
  if (/google|gemini|vertex/.test(provider)) return GEMINI_MEDIA;
  return provider === 'openai.responses' ? OPENAI_MEDIA : {};
}

/** Providers that cache only up to a marker. */
function needsMarkers(namespace: string): boolean {
  return namespace === 'anthropic' || namespace === 'amazon-bedrock' || namespace === 'bedrock';
}

function markerFor(namespace: string): SdkMetadata {
  if (namespace.includes('bedrock')) return { bedrock: { cachePoint: { type: 'default' } } };
  const marker = { cacheControl: { type: 'ephemeral' } };
  return namespace === 'anthropic' ? { anthropic: marker } : { anthropic: marker, [namespace]: marker };
}

/**
 * Responses APIs keep conversations for some weeks and are sent references to them. A run may sleep for longer and a fork
 * may live elsewhere, so everything is sent each time unless the caller says otherwise.
 */
function statelessOptions(provider: string, namespace: string): SdkMetadata | undefined {
  return provider.endsWith('.responses') ? { [namespace]: { store: false } } : undefined;
}
