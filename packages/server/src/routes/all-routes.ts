import { cardRoutes } from '../card/routes.js';
import type { Route } from '../contract/route.js';
import { StreamSlots } from '../feed/stream-slots.js';
import type { Gate } from '../gate.js';
import { mcpMount } from '../mcp-mount.js';
import type { Parts } from '../parts.js';
import type { Mount } from '../pipeline.js';
import { studioFiles } from '../studio-files.js';
import { triggerRoutes } from '../triggers/routes.js';
import { agentRoutes } from './agents.js';
import { approvalRoutes } from './approvals.js';
import { chatCompletionRoutes } from './chat-completions.js';
import { contentRoutes } from './contents.js';
import { conversationRoutes } from './conversations.js';
import { documentRoutes } from './documents.js';
import { evalRoutes } from './evals.js';
import { healthRoutes } from './health.js';
import { invokeRoutes } from './invoke.js';
import { invokeStreamRoutes } from './invoke-stream.js';
import { keyRoutes } from './keys.js';
import { metricsRoutes } from './metrics.js';
import { patternRoutes } from './patterns.js';
import { runEventRoutes } from './run-events.js';
import { runViewRoutes } from './run-views.js';
import { runRoutes } from './runs.js';
import { skillRoutes } from './skills.js';
import { toolRoutes } from './tools.js';
import { whoamiRoutes } from './whoami.js';
import { workerRoutes } from './workers.js';

/** Every operation of the server, in the order of the document. */
export function allRoutes(parts: Parts): readonly Route[] {
  if (parts.settings.role === 'worker') return [...healthRoutes(parts), ...metricsRoutes(parts)];
  const slots = new StreamSlots({ each: parts.settings.maxStreams });
  const routes = [
    ...agentRoutes(parts),
    ...invokeRoutes(parts),
    ...invokeStreamRoutes(parts, slots),
    ...chatCompletionRoutes(parts, slots),
    ...runRoutes(parts),
    ...runEventRoutes(parts, slots),
    ...runViewRoutes(parts),
    ...contentRoutes(parts),
    ...approvalRoutes(parts),
    ...conversationRoutes(parts),
    ...toolRoutes(parts),
    ...skillRoutes(parts),
    ...triggerRoutes(parts),
    ...evalRoutes(parts),
    ...patternRoutes(parts),
    ...whoamiRoutes(),
    ...keyRoutes(parts),
    ...cardRoutes(parts),
    ...healthRoutes(parts),
    ...metricsRoutes(parts),
    ...workerRoutes(parts),
  ];
  const { version, open, publicCard } = parts.settings;
  return [...routes, ...documentRoutes(routes, { version, namesAgents: open || publicCard })];
}

/** What is no operation: pages for a browser, and the endpoint of another protocol. */
export function allMounts(parts: Parts, gate: Gate): readonly Mount[] {
  const { settings } = parts;
  if (settings.role === 'worker') return [];
  return [...(settings.studio ? studioMounts() : []), ...(settings.mcp ? [mcpMount(parts, gate)] : [])];
}

function studioMounts(): readonly Mount[] {
  const files = studioFiles();
  const methods = ['GET', 'HEAD'];
  const page = (path: string): Mount => ({
    name: 'studio',
    path,
    methods,
    handle: async ({ request }) =>
      files(new URL(request.url).pathname.replace(/^\/studio\/?/, '') || 'index.html', request),
  });
  const redirect: Mount = {
    name: 'studio',
    path: '/',
    methods,
    handle: async () => new Response(null, { status: 302, headers: { location: '/studio' } }),
  };
  return [redirect, page('/studio'), page('/studio/*')];
}
