import type { DefinedAgent } from '../agents/define-agent.js';
import type { AnyAgent, VersionedAgent } from '../core/agent-types.js';
import type { Model } from '../core/model.js';
import type { CreateRuntime } from '../create-runtime.js';
import type { SkillLibrary } from '../skills/skill-library.js';
import type { ToolRegistry } from '../tools/registry.js';

/** Agents that share guards, prices and tools: usually one file. A server runs one runtime for each group. */
export interface AgentGroup extends Pick<CreateRuntime, 'seams' | 'prices' | 'options'> {
  readonly agents: Readonly<Record<string, AnyAgent | VersionedAgent | DefinedAgent>>;
  /** What can be listed, and executed by whoever may. */
  readonly tools?: ToolRegistry;
  readonly skills?: SkillLibrary;
  /** Where a command line finds the agents again: a path. */
  readonly source?: string;
  /** Models that a request may choose, by name; none but the agent's own where it is absent. */
  readonly models?: Readonly<Record<string, Model>>;
  /** Said wherever these agents are shown, when their model is a script. */
  readonly demonstration?: string;
}
