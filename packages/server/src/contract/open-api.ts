import type { JsonSchema } from 'flyball';
import { SCOPES } from '../access/principal.js';
import { type ErrorShape, OPEN_AI_ERRORS, PROBLEM_ERRORS } from './error-shape.js';
import { eventSchema, STREAM } from './event-schema.js';
import { refusalsOf } from './refusals.js';
import type { AnswerSpec, Example, Route } from './route.js';
import type { Schema } from './schema.js';
import { typedQuery } from './validate.js';

type Json = Readonly<Record<string, unknown>>;

/** The document of these routes, OpenAPI 3.1: its schemas are the ones that requests are checked with. */
export function openApi(routes: readonly Route[], about: { readonly version: string; readonly url?: string }): Json {
  const components = new Components();
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method]: operation(route, components) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Flyball',
      version: about.version,
      description:
        'Start, follow and control agent runs. Errors are problem+json (RFC 9457) with a code, whether to retry, and what to do next. A body is one JSON value in UTF-8 with at most 64 levels; duplicate names in an object and `__proto__` are refused.',
    },
    ...(about.url === undefined ? {} : { servers: [{ url: about.url }] }),
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: components.all(...ERRORS.map(({ schema }) => schema)),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: `An API key or a JWT. Scopes: ${scopesText()}.` },
      },
      responses: Object.fromEntries(ERRORS.map((shape) => [shape.name, errorAnswer(shape, components)])),
    },
  };
}

const ERRORS: readonly ErrorShape[] = [PROBLEM_ERRORS, OPEN_AI_ERRORS];

function scopesText(): string {
  return Object.entries(SCOPES)
    .map(([scope, what]) => `\`${scope}\` (${what})`)
    .join(', ');
}

function operation(route: Route, components: Components): Json {
  const { id, tag, summary, about, scope, body, examples } = route;
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(about === undefined ? {} : { description: about }),
    security: scope === undefined ? [] : [{ bearer: [scope] }],
    ...parametersOf(route, components),
    ...(body === undefined ? {} : { requestBody: bodyOf(body, examples, components) }),
    responses: responsesOf(route, components),
    'x-examples': examples,
  };
}

/** Every status that the route answers with, and no other: a client can rely on it. */
function responsesOf(route: Route, components: Components): Json {
  const { answers, errors = PROBLEM_ERRORS } = route;
  const refused = refusalsOf(route).map((status): [number, Json] => {
    const answer = answers[status];
    if (answer === undefined) return [status, { $ref: `#/components/responses/${errors.name}` }];
    const own = answerOf(answer, components);
    return [status, { ...own, content: { ...(own['content'] as Json), ...errorContent(errors, components) } }];
  });
  return Object.fromEntries([
    ...Object.entries(answers).map(([status, spec]) => [status, answerOf(spec, components)]),
    ...refused,
    // by whoever reads requests, which knows of no route and so of no other shape
    ...(errors === PROBLEM_ERRORS ? [[431, { $ref: `#/components/responses/${errors.name}` }]] : []),
  ]);
}

function parametersOf({ params, query, method, idempotent = true, examples }: Route, components: Components): Json {
  const list = [
    ...fieldsOf(params, components).map((field) => ({
      ...field,
      in: 'path',
      required: true,
      ...exampleIn(examples, 'params', field.name),
    })),
    ...fieldsOf(query, components).map((field) => ({
      ...field,
      in: 'query',
      ...exampleIn(examples, 'query', field.name, query),
    })),
    ...(method === 'post' && idempotent === true ? [IDEMPOTENCY] : []),
  ];
  return list.length === 0 ? {} : { parameters: list };
}

const IDEMPOTENCY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Makes it safe to repeat the request: it acts once and returns the same response.',
  schema: { type: 'string', pattern: '^[!-~]{1,128}$' },
};

/** A value as its schema types it: what stands in an address is text. */
function exampleIn(
  examples: readonly Example[],
  where: 'params' | 'query',
  name: string,
  schema?: Schema<unknown>,
): Json {
  const found = examples.find((example) => example[where]?.[name] !== undefined)?.[where]?.[name];
  if (found === undefined) return {};
  return { example: schema === undefined ? found : typedQuery(schema, { [name]: found })[name] };
}

function fieldsOf(
  schema: Schema<unknown> | undefined,
  components: Components,
): { name: string; required: boolean; schema: unknown }[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = schema.json as {
    properties?: Record<string, JsonSchema>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, json]) => ({
    name,
    required: required.includes(name),
    schema: components.refer(json),
  }));
}

function bodyOf(body: Schema<unknown>, examples: readonly Example[], components: Components): Json {
  // one that shows a refusal of its body fits no schema: it is among x-examples only
  const shown = examples.filter((example) => example.body !== undefined && example.status !== 400);
  return {
    required: ((body.json['required'] ?? []) as readonly string[]).length > 0,
    content: {
      'application/json': {
        schema: components.refer(body.json),
        ...(shown.length === 0
          ? {}
          : {
              examples: Object.fromEntries(
                shown.map((example, at) => [`example-${at + 1}`, { summary: example.title, value: example.body }]),
              ),
            }),
      },
    },
  };
}

function answerOf({ about, schema, type, events }: AnswerSpec, components: Components): Json {
  const content = {
    ...(schema === undefined ? {} : { [type ?? 'application/json']: { schema: components.refer(schema.json) } }),
    ...(schema === undefined && type !== undefined ? { [type]: { schema: { type: 'string' } } } : {}),
    ...(events === undefined ? {} : { [STREAM]: { schema: components.refer(eventSchema(events)) } }),
  };
  return { description: about, ...(Object.keys(content).length === 0 ? {} : { content }) };
}

function errorContent({ type, schema }: ErrorShape, components: Components): Json {
  return { [type]: { schema: components.refer(schema.json) } };
}

function errorAnswer(shape: ErrorShape, components: Components): Json {
  return { description: 'Refused or failed', headers: ERROR_HEADERS, content: errorContent(shape, components) };
}

const ERROR_HEADERS = {
  'X-Request-Id': { description: 'Also in the server log.', schema: { type: 'string' } },
  'Retry-After': { description: 'Seconds to wait before retrying.', schema: { type: 'integer', minimum: 0 } },
};

/** Schemas with a title, each once; the others stand where they are used. */
class Components {
  private readonly named = new Map<string, unknown>();

  all(...more: readonly Schema<unknown>[]): Json {
    for (const { json } of more) this.refer(json);
    return Object.fromEntries([...this.named].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  refer(json: unknown): unknown {
    if (Array.isArray(json)) return json.map((each) => this.refer(each));
    if (typeof json !== 'object' || json === null) return json;
    const { title } = json as { readonly title?: unknown };
    if (typeof title !== 'string') return this.inside(json);
    if (!this.named.has(title)) {
      this.named.set(title, {}); // its own parts may name it
      this.named.set(title, this.inside(json));
    }
    return { $ref: `#/components/schemas/${title}` };
  }

  private inside(json: object): Json {
    return Object.fromEntries(
      Object.entries(json).map(([key, value]) => [key, KEPT.has(key) ? value : this.refer(value)]),
    );
  }
}

/** Words whose values are data and not schemas. */
const KEPT = new Set(['enum', 'const', 'default', 'examples', 'example', 'required', 'description', 'title']);
