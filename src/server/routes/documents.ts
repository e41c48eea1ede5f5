import { DOCS_STYLE, docsPage } from '../contract/docs-page.js';
import { openApi } from '../contract/open-api.js';
import { type Route, route } from '../contract/route.js';
import { s } from '../contract/schema.js';

const PUBLIC = { 'cache-control': 'public, max-age=300' };

/** The routes about the routes. They are made from all the others, themselves included. */
export function documentRoutes(others: readonly Route[], about: { readonly version: string }): readonly Route[] {
  const all = (): readonly Route[] => [...others, ...own];
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
      handle: () => ({ status: 200, body: openApi(all(), about), headers: PUBLIC }),
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
      handle: () => textAnswer(docsPage(all(), openApi(all(), about)), 'text/html; charset=utf-8'),
    }),
    route({
      id: 'docsStyle',
      method: 'get',
      path: '/docs/style.css',
      tag: 'documents',
      summary: 'The style of that page',
      scope: undefined,
      answers: { 200: { about: 'The style', type: 'text/css' } },
      examples: [{ title: 'The style', status: 200 }],
      handle: () => textAnswer(DOCS_STYLE, 'text/css; charset=utf-8'),
    }),
  ];
  return own;
}

function textAnswer(text: string, type: string): Response {
  return new Response(text, { headers: { 'content-type': type, ...PUBLIC } });
}
