import type { ServerResponse } from 'node:http';
import { CREATED } from './wire.js';

/** The lists of models that vendors offer; anything else is not found. */
export function modelList(path: string, response: ServerResponse, models: readonly string[]): void {
  const list = listOf(path, models);
  const found = list ?? { error: { message: `Unknown path ${path}`, type: 'not_found_error', code: 'not_found' } };
  response.writeHead(list === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(found));
}

function listOf(path: string, models: readonly string[]): unknown {
  switch (path) {
    case '/v1/models':
      return {
        object: 'list',
        data: models.map((id) => ({ id, object: 'model', created: CREATED, owned_by: 'flyball' })),
      };
    case '/v1beta/models':
      return { models: models.map((id) => ({ name: `models/${id}`, displayName: id })) };
    case '/api/tags':
      return { models: models.map((name) => ({ name, model: name, size: 0, details: { family: 'scripted' } })) };
    default:
      return undefined;
  }
}
