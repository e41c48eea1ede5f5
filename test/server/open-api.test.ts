import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jsonSchemaCheck } from '../../packages/flyball/src/adapters/schema-json/json-schema-check.js';
import type { Route } from '../../packages/server/src/contract/route.js';
import { allRoutes } from '../../packages/server/src/routes/all-routes.js';
import { patient } from '../patience.js';
import { type Answered, type CallHow, type ServerStage, serverStage } from './stage-server.js';

const check = jsonSchemaCheck();
let stage: ServerStage;
let routes: readonly Route[];
// biome-ignore lint/suspicious/noExplicitAny: a document is looked into at many places
let document: any;
beforeAll(async () => {
  stage = await serverStage({ settings: { requestTimeoutMs: patient(500), version: '1.2.3' } });
  routes = allRoutes(stage.server.parts);
  document = (await stage.call('GET', '/openapi.json')).body;
});
afterAll(() => stage.close());

/** What the document says about an answer; undefined where it says nothing. */
function documented({ path, method }: Pick<Route, 'path' | 'method'>, status: number) {
  const found = document.paths[path][method].responses[status];
  return found?.$ref === undefined ? found : document.components.responses[found.$ref.split('/').at(-1)];
}

/** Problems of an answer with what the document promises: none where it keeps it. */
async function broken(route: Route, answer: Answered): Promise<string | undefined> {
  const at = `${route.method} ${route.path} answered ${answer.status} ${answer.text.slice(0, 300)}`;
  if (answer.status >= 500) return `${at}: a fault of the server`;
  const spec = documented(route, answer.status);
  if (spec === undefined) return `${at}: not documented`;
  const given = answer.headers.get('content-type') ?? '';
  const kinds = Object.entries(spec.content ?? {});
  const [type, content] = kinds.find(([kind]) => given.startsWith(kind)) ?? kinds[0] ?? [];
  if (type === undefined) return undefined;
  if (!given.startsWith(type)) return `${at}: not ${type}`;
  const { schema } = content as { schema: object };
  if (!type.includes('json') || answer.text === '') return undefined;
  const problem = await check({ ...schema, components: document.components }, answer.body);
  return problem === undefined ? undefined : `${at}: ${problem}`;
}

function addressOf(
  path: string,
  params: Readonly<Record<string, string>> = {},
  query: Readonly<Record<string, string>> = {},
): string {
  const at = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? 'nothing'));
  const search = new URLSearchParams(query).toString();
  return search === '' ? at : `${at}?${search}`;
}

describe('the OpenAPI document', () => {
  it('is of version 3.1 and holds every route with its scope [R6-HTTP-OPENAPI]', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(document.info.version).toBe('1.2.3');
    for (const { path, method, id, scope } of routes) {
      const operation = document.paths[path][method];
      expect(operation.operationId).toBe(id);
      expect(operation.security).toEqual(scope === undefined ? [] : [{ bearer: [scope] }]);
    }
    const ids = routes.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('refers to nothing that is not there [R6-HTTP-OPENAPI]', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)];
    expect(references.length).toBeGreaterThan(20);
    for (const [, kind, name] of references) expect(document.components[kind ?? ''], name).toHaveProperty(name ?? '');
  });

  it('names every status of a route, and every shape of it [R8-CLIENTS-DOCUMENT]', () => {
    for (const { path, method, scope } of routes) {
      const { responses } = document.paths[path][method];
      expect(responses, path).not.toHaveProperty('default');
      expect(Object.keys(responses), path).toEqual(expect.arrayContaining(['400', '403', '500', '503']));
      if (scope !== undefined) expect(Object.keys(responses), path).toEqual(expect.arrayContaining(['401', '429']));
    }
    const ended = document.paths['/v1/agents/{name}/invoke'].post.responses[422];
    expect(Object.keys(ended.content)).toEqual(['application/json', 'application/problem+json']);
  });

  it('tells what the events of a stream hold, and they hold it [R8-CLIENTS-DOCUMENT]', async () => {
    const { body: run } = await stage.call('POST', '/v1/runs', { body: { agent: 'desk', input: { question: 'x' } } });
    const { text } = await stage.call('GET', `/v1/runs/${run.id}/events?deltas=true`);
    const { schema } = document.paths['/v1/runs/{runId}/events'].get.responses[200].content['text/event-stream'];
    const events = [...text.matchAll(/event: (\w+)\ndata: (.*)\n\n/g)];
    expect(events.map(([, name]) => name)).toEqual(expect.arrayContaining(['entry', 'card', 'end']));
    for (const [, name, data = ''] of events) {
      const { contentSchema } = schema.anyOf.find((each: typeof schema) => each.properties.event.const === name)
        .properties.data;
      expect(
        await check({ ...contentSchema, components: document.components }, JSON.parse(data)),
        name,
      ).toBeUndefined();
    }
  });

  it('takes no verdict that the inbox refuses, and the refusal says what is missing [R7-APPROVE-SCHEMA]', async () => {
    const { schema } = document.paths['/v1/approvals/{id}/decide'].post.requestBody.content['application/json'];
    for (const [body, words] of [
      [{ verdict: 'approve', value: 1 }, 'approve does not take a value'],
      [{ verdict: 'reject' }, 'reject requires a reason'],
      [{ verdict: 'reject', reason: '\u200b' }, 'reject requires a reason'],
      [{ verdict: 'modify' }, 'modify requires a value'],
      [{ verdict: 'escalate', reason: 'so', reask: true }, 'can only be used with reject'],
    ] as const) {
      expect(await check({ ...schema, components: document.components }, body), words).toBeDefined();
      const { status, text } = await stage.call('POST', '/v1/approvals/nothing/decide', { body });
      expect({ status, isSaid: text.includes(words) }, text).toEqual({ status: 400, isSaid: true });
    }
    expect(await check({ ...schema, components: document.components }, { verdict: 'approve' })).toBeUndefined();
  });

  it('is rendered as a page that loads nothing from elsewhere [R6-HTTP-OPENAPI]', async () => {
    const { text, headers } = await stage.call('GET', '/docs');
    expect(headers.get('content-type')).toContain('text/html');
    for (const { path } of routes) expect(text).toContain(path);
    expect(text).not.toMatch(/<script|src=|href="https?:/);
    expect((await stage.call('GET', '/docs/style.css')).headers.get('content-type')).toContain('text/css');
  });
});

/** A stream, left when it has begun. */
async function begun(method: string, path: string, { key, body }: CallHow): Promise<Answered> {
  const control = new AbortController();
  const { status, headers } = await fetch(`${stage.url}${path}`, {
    method,
    signal: control.signal,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  control.abort();
  return { status, headers, text: '', body: undefined };
}

describe('every route', () => {
  it('has examples, and each answers as the document says [R6-HTTP-OPENAPI-TESTED]', async () => {
    const problems: (string | undefined)[] = [];
    // one of the examples makes a key, and from then on everybody needs one
    const key = await stage.keyFor('default', ['admin', 'workers:control']);
    for (const route of routes) {
      expect(route.examples.length, route.id).toBeGreaterThan(0);
      for (const { title, params, query, body, status } of route.examples) {
        const at = addressOf(route.path, params, query);
        const how = body === undefined ? { key } : { key, body };
        const method = route.method.toUpperCase();
        const answer = await (route.streams === true ? begun(method, at, how) : stage.call(method, at, how));
        if (answer.status !== status)
          problems.push(`${route.id}, ${title}: ${answer.status} instead of ${status}: ${answer.text}`);
        problems.push(await broken(route, answer));
      }
    }
    expect(problems.filter((problem) => problem !== undefined)).toEqual([]);
  });

  it('refuses another method with 405, whatever the request holds, and numbers that a number cannot hold [R8-CLIENTS-DOCUMENT]', async () => {
    const key = await stage.keyFor('default', ['admin', 'workers:control']);
    const put = await stage.call('PUT', '/v1/runs', { key, body: { agent: 'desk' } });
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'POST, GET']);
    const at = (since: string) => stage.call('GET', `/v1/approvals-metrics?since=${since}`, { key });
    expect((await at(String(Number.MAX_SAFE_INTEGER))).status).toBe(200);
    expect((await at(`${Number.MAX_SAFE_INTEGER}0`)).status).toBe(400);
    const { maximum } = document.paths['/v1/approvals-metrics'].get.parameters[0].schema;
    expect(maximum).toBe(Number.MAX_SAFE_INTEGER);
  });

  it('answers anything at all as documented, and never as a fault of the server [R6-HTTP-OPENAPI-TESTED] [R6-HTTP-ERRORS]', async () => {
    const problems: string[] = [];
    const fuzzed = routes.filter(({ streams, id }) => streams !== true && id !== 'createKey');
    for (const route of fuzzed) {
      await fc.assert(
        fc.asyncProperty(nearlyFitting(route), async ({ params, query, body }) => {
          const hasBody = route.method === 'post' && body !== undefined;
          const sent = hasBody ? { body: typeof body === 'string' ? JSON.stringify(body) : body } : {};
          const answer = await stage.call(route.method.toUpperCase(), addressOf(route.path, params, query), sent);
          const problem = await broken(route, answer);
          if (problem !== undefined) problems.push(`${JSON.stringify({ params, query, body })} → ${problem}`);
          if (/\n {4}at |node_modules|\/src\//.test(answer.text))
            problems.push(`${route.id} told of its insides: ${answer.text}`);
        }),
        { numRuns: 12, seed: 6 },
      );
    }
    expect(problems).toEqual([]);
  });
});

interface Fuzz {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Requests in the shape of the schema with one or the other thing wrong, and some that have no shape. */
function nearlyFitting({ params, query, body }: Route): fc.Arbitrary<Fuzz> {
  const text = fc.oneof(
    fc.string({ maxLength: 30 }),
    fc.constantFrom('desk', 'tide', '../../etc/passwd', '%00', "'; drop table runs", '0.1'),
  );
  return fc.record({
    params: fieldsOf(
      params?.json,
      text.filter((one) => one !== ''),
    ),
    query: fc.oneof(fc.constant({}), fieldsOf(query?.json, text)),
    body: fc.oneof(bodyOf(body?.json), fc.jsonValue({ maxDepth: 3 }), fc.constant(undefined)),
  });
}

type Json = Readonly<Record<string, unknown>>;

function fieldsOf(schema: Json | undefined, value: fc.Arbitrary<string>): fc.Arbitrary<Record<string, string>> {
  const names = Object.keys((schema?.['properties'] ?? {}) as object);
  return fc.record(Object.fromEntries(names.map((name) => [name, value])));
}

function bodyOf(schema: Json | undefined): fc.Arbitrary<unknown> {
  const properties = Object.entries((schema?.['properties'] ?? {}) as Record<string, Json>);
  if (properties.length === 0) return fc.constant({});
  return fc.record(Object.fromEntries(properties.map(([name, json]) => [name, fuzzOf(json)])), { requiredKeys: [] });
}

function fuzzOf(json: Json): fc.Arbitrary<unknown> {
  const values = json['enum'] as readonly unknown[] | undefined;
  if (values !== undefined) return fc.oneof(fc.constantFrom(...values), fc.string({ maxLength: 5 }));
  switch (json['type']) {
    case 'string':
      return fc.oneof(fc.constantFrom('desk', 'plain', 'waiter', 'go'), fc.string({ maxLength: 40 }));
    case 'integer':
    case 'number':
      return fc.oneof(fc.integer({ min: -2, max: 5 }), fc.double({ noNaN: true }), fc.constant('7'));
    case 'boolean':
      return fc.oneof(fc.boolean(), fc.constant('yes'));
    case 'object':
      return fc.oneof(bodyOf(json), fc.constant(null));
    case 'array':
      return fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 3 });
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}
