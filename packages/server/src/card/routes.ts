import { canonicalJson, sha256 } from 'flyball/internal';
import type { ApiKeys } from '../access/api-keys.js';
import { type Answer, type Route, route, type ServerRequest } from '../contract/route.js';
import { s } from '../contract/schema.js';
import type { Parts } from '../parts.js';
import { isLoopback } from '../settings.js';
import { agentCard, type PublishedAgent } from './agent-card.js';
import { CARD_PATH, CARD_SCHEMA, LEGACY_CARD_PATH } from './card.js';

interface CardParts {
  readonly directory: { list(): readonly PublishedAgent[] };
  readonly settings: Pick<Parts['settings'], 'publicCard' | 'version' | 'open' | 'host' | 'port'>;
  readonly keys: Pick<ApiKeys, 'any'>;
}

/** Minutes, never days: what is served changes with the next deployment. */
const MAX_AGE_SECONDS = 300;

/** The card at its well-known address, made at each request of what is served then. */
export function cardRoutes(parts: CardParts): readonly Route[] {
  const handle = (request: ServerRequest): Promise<Answer> => answer(parts, request);
  const scope = parts.settings.publicCard ? undefined : 'agents:read';
  const answers = {
    200: { about: 'An A2A 1.0 agent card; each agent is a skill', schema: s.any({ ...CARD_SCHEMA }) },
    304: { about: 'The card has not changed since the ETag in If-None-Match' },
  };
  const common = { method: 'get', tag: 'agents', scope, answers, handle } as const;
  return [
    route({
      ...common,
      id: 'agentCard',
      path: CARD_PATH,
      summary: 'What this server offers, for other agents',
      examples: [{ title: 'The card', status: 200 }],
    }),
    route({
      ...common,
      id: 'legacyAgentCard',
      path: LEGACY_CARD_PATH,
      summary: 'The same card, for older clients',
      examples: [{ title: 'The card', status: 200 }],
    }),
  ];
}

async function answer({ directory, settings, keys }: CardParts, { headers }: ServerRequest): Promise<Answer> {
  const card = agentCard(directory, {
    name: 'flyball',
    description: 'Agents and workflows with budgets, crash recovery and live monitoring.',
    version: settings.version,
    origin: originOf(settings, headers),
    open: settings.open && !(await keys.any()),
  });
  const etag = `"${sha256(canonicalJson(card)).slice(0, 32)}"`;
  const visibility = settings.publicCard ? 'public' : 'private';
  const caching = { etag, 'cache-control': `${visibility}, max-age=${MAX_AGE_SECONDS}`, vary: 'Authorization, Host' };
  if (namesTag(headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers: caching });
  return { status: 200, body: card, headers: { ...caching, 'content-type': 'application/json' } };
}

/** `W/"…"` counts as well: for a GET the weak comparison holds. */
function namesTag(given: string | null, etag: string): boolean {
  const tags = (given ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}

/**
 * As the client addressed us: a name that is not ours was refused before. We speak plain HTTP ourselves, but a name that
 * others can reach is one behind which TLS ends; a card that told them an address without it would have to be refused.
 */
function originOf({ host, port }: CardParts['settings'], headers: Headers): string {
  const authority = headers.get('host') ?? `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const { hostname } = new URL(`http://${authority}`);
  return `${isLoopback(hostname) ? 'http' : 'https'}://${authority}`;
}
