import type { AgentGroup } from './cli/agent-group.js';
import type { AgentModule } from './cli/agent-module.js';
import type { MakeCommand } from './cli/command.js';

/** `words` are those of the command line: a command with many of its own need not load them to be listed. */
export type LoadCommand = (words: readonly string[]) => Promise<MakeCommand>;

/**
 * How a package adds commands to `flyball`. Its package.json names a module, which exports `commands`:
 *
 *     "flyball": { "commands": "./dist/commands.js" }
 *
 * The command line looks at the packages that the project in the current folder depends on, and beside itself.
 */
export interface CommandPackage {
  /** By name, in the order in which the help lists them. Each is loaded when it is called, or when the help lists it. */
  readonly commands: Readonly<Record<string, LoadCommand>>;
  /** Agents that a run may name and that no file exports: a server runs one agent in several ways. */
  agentsOf?(group: AgentGroup, agent: string): Promise<AgentModule['agents'] | undefined>;
}

export type { AgentGroup } from './cli/agent-group.js';
export type { AgentModule } from './cli/agent-module.js';
export {
  type Call,
  type CommonOptions,
  type MakeCommand,
  newCommand,
  type Perform,
  plainCommand,
} from './cli/command.js';
export { openDatabase } from './cli/database.js';
export type { DatabaseEngine, EnginePackage } from './cli/database-engine.js';
export type { DispatcherPackage } from './cli/dispatcher.js';
export { EXIT } from './cli/exit-codes.js';
export type { Screen } from './cli/screen.js';
