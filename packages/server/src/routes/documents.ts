import { DOCS_STYLE, docsPage } from '../contract/docs-page.js';
import { openApi } from '../contract/open-api.js';
import { type Route, route } from '../contract/route.js';
import { s } from '../contract/schema.js';

const PUBLIC = { 'cache-control': 'public, max-age=300' };

interface About {
  readonly version: string;
  /** Anybody may read the document: examples name agents and tools, which are not for everybody. */
  readonly namesAgents: boolean;
}

/** The routes about the routes. They are made from all the others, themselves included. */
export function documentRoutes(others: readonly Route[], about: About): readonly Route[] {
  const all = (): readonly Route[] =>
    [...others, ...own].map((one) => (about.namesAgents ? one : { ...one, examples: [] }));
  // anybody may ask, and the routes of a server do not change
  const document = onceMade(() => openApi(all(), about));
  const page = onceMade(() => docsPage(all(), document()));
  const own: readonly Route[] = [
    route({
      id: 'openApi',
      method: 'get',
      path: '/openapi.json',
      tag: 'documents',
      summary: 'This API as an OpenAPI 3.1 document',
      scope: undefined,
      answers: { 200: { about: 'The document', schema: s.any({ type: 'object' }) } },
      examples: [{ title: 'The document', status: 200 }],
      handle: () => ({ status: 200, body: document(), headers: PUBLIC }),
    }),
    route({
      id: 'docs',
      method: 'get',
      path: '/docs',
      tag: 'documents',
      summary: 'This API as a page',
      scope: undefined,
      answers: { 200: { about: 'The page', type: 'text/html' } },
      examples: [{ title: 'The page', status: 200 }],
      handle: () => textAnswer(page(), 'text/html; charset=utf-8'),
    }),
    route({
      id: 'docsStyle',
      method: 'get',
      path: '/docs/style.css',
      tag: 'documents',
      summary: 'The stylesheet of that page',
      scope: undefined,
      answers: { 200: { about: 'The style', type: 'text/css' } },
      examples: [{ title: 'The style', status: 200 }],
      handle: () => textAnswer(DOCS_STYLE, 'text/css; charset=utf-8'),
    }),
  ];
  return own;
}

function onceMade<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function textAnswer(text: string, type: string): Response {
  return new Response(text, { headers: { 'content-type': type, ...PUBLIC } });
}
