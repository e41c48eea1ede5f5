import type { Route } from './route.js';

type Json = Readonly<Record<string, unknown>>;

/**
 * The document for people: one page, made here, without scripts and with nothing from elsewhere. Its style is a file of
 * its own, because a page that allows inline styles allows those of strangers too.
 */
export function docsPage(routes: readonly Route[], document: Json): string {
  const tags = [...new Set(routes.map(({ tag }) => tag))];
  const schemas = (document['components'] as { readonly schemas: Json }).schemas;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Flyball API</title><link rel="stylesheet" href="/docs/style.css"></head>
<body><header><h1>Flyball API</h1><p>Generated from the schemas that validate requests. For programs, use <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
<nav>${tags.map((tag) => `<a href="#${attribute(tag)}">${escaped(tag)}</a>`).join(' ')} <a href="#schemas">schemas</a></nav></header>
<main>${tags.map((tag) => section(tag, routes, document)).join('\n')}
<section id="schemas"><h2>Schemas</h2>${Object.entries(schemas)
    .map(([name, schema]) => schemaBlock(name, schema))
    .join('\n')}</section></main></body></html>`;
}

function section(tag: string, routes: readonly Route[], document: Json): string {
  const own = routes.filter((route) => route.tag === tag);
  return `<section id="${attribute(tag)}"><h2>${escaped(tag)}</h2>${own.map((route) => operation(route, document)).join('\n')}</section>`;
}

function operation(route: Route, document: Json): string {
  const { id, method, path, summary, about, scope } = route;
  const documented = ((document['paths'] as Json)[path] as Json)[method] as Json;
  const parts = [
    about === undefined ? '' : `<p>${escaped(about)}</p>`,
    `<p class="scope">${scope === undefined ? 'No credential required.' : scope === 'any' ? 'Any credential.' : `Scope <code>${escaped(scope)}</code>`}</p>`,
    parameters(documented['parameters'] as readonly Json[] | undefined),
    route.body === undefined ? '' : block('Body', inner(documented['requestBody'])),
    answers(documented['responses'] as Json, route.errors?.name ?? 'Problem'),
    examples(route),
  ];
  return `<details id="${attribute(id)}"><summary><b class="${method}">${method.toUpperCase()}</b> <code>${escaped(path)}</code> <span>${escaped(summary)}</span></summary>${parts.join('')}</details>`;
}

function parameters(list: readonly Json[] = []): string {
  if (list.length === 0) return '';
  const rows = list.map(({ name, in: where, required, schema }) => {
    const { description, ...rest } = schema as Json;
    return `<tr><td><code>${escaped(String(name))}</code></td><td>${escaped(String(where))}${required === true ? ', required' : ''}</td><td><code>${escaped(JSON.stringify(rest))}</code> ${escaped(String(description ?? ''))}</td></tr>`;
  });
  return `<div class="wide"><table><thead><tr><th>name</th><th>in</th><th>schema</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}

function answers(responses: Json, error: string): string {
  const all = Object.entries(responses) as [string, Json][];
  const rows = all
    .filter(([, spec]) => !('$ref' in spec))
    .map(([status, spec]) => `<h4>${escaped(status)} ${escaped(String(spec['description']))}</h4>${inner(spec)}`);
  const refused = all.filter(([, spec]) => '$ref' in spec).map(([status]) => status);
  return block(
    'Answers',
    `${rows.join('')}<p>${refused.join(', ')} have the schema <a href="#schema-${error}">${error}</a>.</p>`,
  );
}

function inner(spec: unknown): string {
  const { content } = (spec ?? {}) as { readonly content?: Readonly<Record<string, { readonly schema: unknown }>> };
  if (content === undefined) return '';
  return Object.entries(content)
    .map(([type, { schema }]) => `<p class="type">${escaped(type)}</p>${schemaText(schema)}`)
    .join('');
}

function schemaText(schema: unknown): string {
  const text = escaped(JSON.stringify(schema, null, 2));
  const linked = text.replaceAll(
    /&quot;#\/components\/schemas\/(\w+)&quot;/g,
    '<a href="#schema-$1">&quot;$1&quot;</a>',
  );
  return `<pre tabindex="0">${linked}</pre>`;
}

function examples({ method, path, examples: list }: Route): string {
  if (list.length === 0) return '';
  const shown = list.map(({ title, params = {}, query = {}, body, status }) => {
    const at = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
    const search = Object.keys(query).length === 0 ? '' : `?${new URLSearchParams(query)}`;
    const sent = body === undefined ? '' : ` \\\n  -H 'content-type: application/json' -d '${JSON.stringify(body)}'`;
    const verb = method === 'get' ? '' : ` -X ${method.toUpperCase()}`;
    return `<h4>${escaped(title)}: ${status}</h4><pre tabindex="0">${escaped(`curl${verb} http://127.0.0.1:4747${at}${search}${sent}`)}</pre>`;
  });
  return block('Examples', shown.join(''));
}

function schemaBlock(name: string, schema: unknown): string {
  return `<details id="schema-${attribute(name)}"><summary><code>${escaped(name)}</code></summary>${schemaText(schema)}</details>`;
}

function block(title: string, content: string): string {
  return `<h3>${title}</h3>${content}`;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

function attribute(text: string): string {
  return text.replaceAll(/[^\w-]/g, '-');
}

export const DOCS_STYLE = `:root{color-scheme:light dark;--line:#8884;--accent:#1f6feb;--code:#8881}
body{font:15px/1.5 system-ui,sans-serif;max-width:62rem;margin:0 auto;padding:1rem}
h1{margin:0}h2{margin:2rem 0 .5rem;text-transform:capitalize}h3{margin:1rem 0 .25rem;font-size:1rem}h4{margin:.5rem 0 .25rem;font-weight:600;font-size:.9rem}
nav{display:flex;flex-wrap:wrap;gap:.75rem;margin:.75rem 0}a{color:var(--accent)}
details{border:1px solid var(--line);border-radius:6px;margin:.4rem 0;padding:.4rem .75rem}
summary{cursor:pointer;overflow-wrap:anywhere}summary b{display:inline-block;min-width:4.2rem;font-size:.8rem}
summary b.post{color:#9a6700}summary b.get{color:#1a7f37}summary b.delete{color:#cf222e}
@media (prefers-color-scheme:dark){summary b.post{color:#d29922}summary b.get{color:#3fb950}summary b.delete{color:#f85149}:root{--accent:#58a6ff}}
pre{background:var(--code);padding:.6rem;border-radius:6px;overflow:auto;max-height:24rem;font-size:.82rem}
code{font-family:ui-monospace,monospace;font-size:.88em;overflow-wrap:anywhere}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.88rem}td,th{border:1px solid var(--line);padding:.25rem .5rem;text-align:left;vertical-align:top}
.scope,.type{font-size:.85rem;opacity:.85;margin:.4rem 0}`;
