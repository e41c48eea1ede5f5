import type { Agent as HttpAgent } from 'node:http';
import { ConfigError } from '../../core/errors.js';
import type { ModelCapabilities, Price } from '../../core/model.js';
import type { CountText } from '../../core/token-count.js';

/** What both kinds of model are told. */
export interface HttpModelOptions {
  /** `provider/model`: the name in journals and price tables. */
  readonly id: string;
  /** The provider's name of the model, where it is not what follows the first slash of `id`. */
  readonly model?: string;
  readonly baseUrl: string;
  readonly apiKey?: string;
  /** The header that takes the key as it is, such as `api-key`. Without one it is sent as `Authorization: Bearer`. */
  readonly keyHeader?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly capabilities?: Partial<ModelCapabilities>;
  readonly price?: Price;
  /** Sockets to share with other models, or a proxy's. Without one the model keeps its own connections alive. */
  readonly agent?: HttpAgent;
  /** `when-observed`, the default, streams exactly the calls whose deltas somebody listens to. */
  readonly stream?: boolean | 'when-observed';
  /** Counts tokens exactly. Without it every byte counts as one, which is never too few. */
  readonly countText?: CountText;
}

/** The provider's name of the model. */
export function vendorModel({ id, model }: Pick<HttpModelOptions, 'id' | 'model'>): string {
  const slash = id.indexOf('/');
  if (slash < 1 || slash === id.length - 1) {
    throw new ConfigError(`A model's id is written provider/model, such as openai/gpt-4o; got "${id}".`);
  }
  return model ?? id.slice(slash + 1);
}

export function isStreamed(stream: HttpModelOptions['stream'], observed: boolean): boolean {
  return typeof stream === 'boolean' ? stream : observed;
}
