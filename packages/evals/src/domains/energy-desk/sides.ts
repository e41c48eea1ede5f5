import type { RetrievalTool } from '../../tau2/banking-knowledge/knowledge/index.js';
import type { Tables } from '../../world/database.js';
import type { Toolkit, ToolSchema } from '../../world/environment.js';
import { type KitTool, makeToolkit } from '../../world/toolkit.js';
import type { ToolData } from '../discovery/tool-specs.js';
import { assertions } from './assertions.js';
import { Desk } from './desk.js';
import type { DeskTool } from './desk-tool.js';
import { agentDiscovery, userDiscovery } from './discovery.js';
import { type Registered, type Registry, registryOf, runTool } from './registry.js';
import { billingTools } from './tools/billing.js';
import { complaintTools } from './tools/complaints.js';
import { customerTools, givenTools } from './tools/customer.js';
import { lookups, specialistLookups } from './tools/lookups.js';
import { moveTools } from './tools/moves.js';
import { paymentTools } from './tools/payments.js';
import { readingTools } from './tools/readings.js';
import { referralTools } from './tools/referrals.js';
import { service } from './tools/service.js';
import { supportTools } from './tools/support.js';
import { tariffTools } from './tools/tariffs.js';
import { visitTools } from './tools/visits.js';

export const specialistTools: readonly DeskTool[] = [
  ...specialistLookups,
  ...readingTools,
  ...billingTools,
  ...tariffTools,
  ...paymentTools,
  ...complaintTools,
  ...visitTools,
  ...supportTools,
  ...moveTools,
  ...referralTools,
];

export interface SidesRequest {
  readonly tables: Tables;
  readonly loggedReads: ReadonlySet<string>;
  /** Which list of `agent_toolkits` is shown to the agent. */
  readonly toolkit: string;
  readonly search: readonly RetrievalTool[];
}

/** Joins the code of all tools with their data, once; what it returns opens a desk for a simulation. */
export function deskSides(
  data: ToolData,
): (request: SidesRequest) => { readonly agent: Toolkit; readonly user: Toolkit } {
  const hidden = registryOf(specialistTools, data.agentDiscoverable);
  const given = registryOf(givenTools, data.userDiscoverable);
  const plain = data.agent.get('KnowledgeToolsPlain')?.specs ?? [];
  const base = registryOf([...lookups, ...service, ...agentDiscovery(hidden, given)], plain);
  const own = registryOf([...customerTools, ...userDiscovery(given)], data.user.specs);
  const agentTools = kitTools(base, hidden);
  const userTools = kitTools(own, given);

  return ({ tables, loggedReads, toolkit, search }) => {
    const database = new Desk(tables.copy(), loggedReads);
    const side = (className: string, schemas: readonly ToolSchema[], tools: readonly KitTool<Desk>[]): Toolkit =>
      makeToolkit({ className, schemas, tools, functions: assertions, database });
    const shown = data.agent.get(toolkit)?.schemas ?? [];
    const all = search.length === 0 ? agentTools : [...search.map(searchTool), ...agentTools];
    return { agent: side('DeskTools', shown, all), user: side('CustomerTools', data.user.schemas, userTools) };
  };
}

/** Discoverable tools are tools like any other that no model is shown. */
function kitTools(...registries: readonly Registry[]): readonly KitTool<Desk>[] {
  return registries.flatMap((registry) => [...registry.values()].map(kitTool));
}

function kitTool(registered: Registered): KitTool<Desk> {
  const { name, parameters, type, mutates } = registered.spec;
  return { name, parameters, type, mutates, run: (desk, args) => runTool(registered, desk, new Map(args)).text };
}

function searchTool({ name, parameters, call }: RetrievalTool): KitTool<Desk> {
  return {
    name,
    type: 'read',
    parameters: parameters.map((each) => ({ ...each, required: each.default === undefined })),
    run: (_desk, args) => call(new Map(args)),
  };
}
