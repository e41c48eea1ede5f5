import { canonicalJson, sha256 } from '../core/canonical.js';
import { specOf } from '../core/request.js';
import type { ToolRef } from '../core/tool.js';

/** What a request says about a tool: this, as JSON, is what its tokens are counted on. */
export const toolSpecOf = specOf;

/** Changes when a model would be shown something else, and not with the order of tools or members. */
export function schemasHash(tools: readonly ToolRef[]): string {
  const specs = tools.map(toolSpecOf).sort((a, b) => (a.name < b.name ? -1 : 1));
  return sha256(canonicalJson(specs)).slice(0, 16);
}
