import type { ToolData, ToolSpec } from '../../domains/discovery/tool-specs.js';
import type { Tables } from '../../world/database.js';
import type { Toolkit, ToolSchema } from '../../world/environment.js';
import { accountTools } from './accounts/index.js';
import type { BankTool } from './bank-tool.js';
import { lookups } from './base/lookups.js';
import { service } from './base/service.js';
import { cardTools } from './cards/index.js';
import { debitCardTools } from './debit-cards/index.js';
import { agentSide } from './discovery/agent-side.js';
import { escalation } from './discovery/escalation.js';
import type { Owner, Registry } from './discovery/registry.js';
import { userSide } from './discovery/user-side.js';
import { OpenBank } from './open-bank.js';
import { BankToolkit, type OtherTool, registryOf } from './toolkit.js';
import { givenTools, userTools } from './user/index.js';

/** What one simulation gets of the bank. */
export interface BankSides {
  readonly agent: Toolkit;
  readonly user: Toolkit;
}

export interface SidesRequest {
  /** Not changed: a bank works on a copy. */
  readonly tables: Tables;
  readonly loggedReads: ReadonlySet<string>;
  /** Which list of `agent_toolkits` is shown to the agent. */
  readonly toolkit: string;
  /** The search tools of that list. */
  readonly search: readonly OtherTool[];
}

/** Joins the code of all tools with their data, once; what it returns opens a bank for a simulation. */
export function bankSides(data: ToolData): (request: SidesRequest) => BankSides {
  const discoverable = [...escalation, ...cardTools, ...accountTools, ...debitCardTools];
  const hidden = registryOf('KnowledgeTools', discoverable, data.agentDiscoverable);
  const given = registryOf('KnowledgeUserTools', givenTools, data.userDiscoverable);
  const base: readonly BankTool[] = [...lookups, ...service, ...agentSide(hidden, given)];
  const agentTools = joined(registryOf('KnowledgeTools', base, plainSpecs(data)), hidden);
  const userKit = joined(registryOf('KnowledgeUserTools', [...userTools, ...userSide(given)], data.user.specs), given);

  return ({ tables, loggedReads, toolkit, search }) => {
    const bank = new OpenBank(tables.copy(), loggedReads);
    const side = (
      owner: Owner,
      tools: Registry,
      schemas: readonly ToolSchema[],
      others: readonly OtherTool[],
    ): Toolkit => new BankToolkit({ owner, bank, tools, schemas, others });
    return {
      agent: side('KnowledgeTools', agentTools, data.agent.get(toolkit)?.schemas ?? [], search),
      user: side('KnowledgeUserTools', userKit, data.user.schemas, []),
    };
  };
}

/** The tools of an agent without search, which every configuration has. */
function plainSpecs(data: ToolData): readonly ToolSpec[] {
  return data.agent.get('KnowledgeToolsPlain')?.specs ?? [];
}

function joined(...registries: readonly Registry[]): Registry {
  return new Map(registries.flatMap((registry) => [...registry]));
}
