import { ConfigError } from 'flyball';
import type { McpOffer, McpOfferedTool } from './offer.js';

/** Joins several offers. Throws if two of them have the same name. */
export function joinOffers<W = undefined>(offers: readonly McpOffer<W>[]): McpOffer<W> {
  const all = async (who: W): Promise<readonly Part<W>[]> => {
    const parts = await Promise.all(offers.map(async (offer) => ({ offer, tools: await offer.tools(who) })));
    requireUnique(parts.flatMap(({ tools }) => tools.map(({ name }) => name)));
    return parts;
  };
  const onChanged = (listener: () => void): (() => void) => {
    const stops = offers.map((offer) => offer.onChanged?.(listener));
    return () => {
      for (const stop of stops) stop?.();
    };
  };
  return {
    tools: async (who) => (await all(who)).flatMap(({ tools }) => tools),
    call: async (name, args, ctx) => {
      const owner = (await all(ctx.who)).find(({ tools }) => tools.some((tool) => tool.name === name));
      if (owner !== undefined) return owner.offer.call(name, args, ctx);
      return { ok: false, code: 'TOOL_UNKNOWN', message: `There is no tool ${name}.` };
    },
    ...(offers.some((offer) => offer.onChanged !== undefined) ? { onChanged } : {}),
  };
}

interface Part<W> {
  readonly offer: McpOffer<W>;
  readonly tools: readonly McpOfferedTool[];
}

export function requireUnique(names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw new ConfigError(`Two agents or tools offered over MCP are called "${twice}". Rename one.`);
}
