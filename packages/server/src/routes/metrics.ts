import { type Route, route } from '../contract/route.js';
import { CONTENT_TYPE } from '../metrics/exposition.js';
import type { Parts } from '../parts.js';

export function metricsRoutes({ metrics }: Pick<Parts, 'metrics'>): readonly Route[] {
  return [
    route({
      id: 'getMetrics',
      method: 'get',
      path: '/metrics',
      tag: 'server',
      summary: 'Metrics for Prometheus',
      scope: 'metrics:read',
      unmetered: true,
      answers: { 200: { about: 'The text format, version 0.0.4', type: 'text/plain' } },
      examples: [{ title: 'All metrics', status: 200 }],
      handle: async () =>
        new Response(await metrics.text(), { headers: { 'content-type': CONTENT_TYPE, 'cache-control': 'no-store' } }),
    }),
  ];
}
