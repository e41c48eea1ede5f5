/** A run from its start over a person's yes to its result, through a client that was generated from the document. */
import createClient from 'openapi-fetch';
import type { paths } from './api.js';

const { URL = '', STARTER = '', DECIDER = '' } = process.env;
const as = (key: string) => createClient<paths>({ baseUrl: URL, headers: { authorization: `Bearer ${key}` } });
const starter = as(STARTER);

/** What the document promises for success; a refusal is typed as well, and headers that are too large get one without a body. */
function given<T>({ data, error }: { data?: T; error?: { detail: string; code: string } | undefined }): T {
  if (data === undefined) throw new Error(`${error?.code}: ${error?.detail}`);
  return data;
}

const { id } = given(await starter.POST('/v1/runs', { body: { agent: 'payer', input: { amount: 7 } } }));

async function until(status: 'suspended' | 'done') {
  for (;;) {
    const run = given(await starter.GET('/v1/runs/{runId}', { params: { path: { runId: id } } }));
    if (run.status === status) return run;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

await until('suspended');
const { items } = given(await as(DECIDER).GET('/v1/approvals', { params: { query: { run: id } } }));
const asked = items[0];
if (asked === undefined) throw new Error('nothing was asked');
given(
  await as(DECIDER).POST('/v1/approvals/{id}/decide', {
    params: { path: { id: asked.id } },
    body: { verdict: 'approve' },
  }),
);
const { outcome } = await until('done');
const { error } = await starter.GET('/v1/runs/{runId}', { params: { path: { runId: 'run_0' } } });
console.log(JSON.stringify({ outcome, refused: error?.code }));
