import type { Budget, JsonSchema } from 'flyball';
import type { DefinedAgent } from 'flyball/agents';
import type { AgentGroup } from 'flyball/command';

/** How a run of an agent goes: its loop, one shot, a conversation; or one call of a tool without an agent around it. */
export type Mode = 'iterative' | 'once' | 'conversation' | 'workflow' | 'tool';

/** An agent as a server offers it. */
export interface ServedAgent {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly kind: 'agent' | 'workflow';
  readonly modes: readonly Exclude<Mode, 'workflow' | 'tool'>[];
  /** Undefined where code decides what is called. */
  readonly tools: readonly string[] | undefined;
  readonly skills: readonly string[];
  readonly model: string | undefined;
  /** Bounds of every run; a request may lower them. */
  readonly budget: Budget;
  readonly inputs: JsonSchema | undefined;
  readonly outputs: JsonSchema | undefined;
  readonly demonstration: string | undefined;
  readonly group: AgentGroup;
  /** Where it was made by `defineAgent`. */
  readonly defined: DefinedAgent | undefined;
  /** It waits for its messages itself, so that a run of it is a whole conversation. */
  readonly waitsForMessages: boolean;
  /** Refuses an input that the agent could not start with, while there is no run yet. */
  checkInput(input: unknown): Promise<void>;
}

/** One agent is several to the runtime, so that a journal says which of them wrote it. */
const SUFFIX = {
  iterative: '',
  once: ':once',
  conversation: ':chat',
  completion: ':completion',
  varied: ':varied',
  dry: ':dry',
} as const;

/** The name that the runtime knows. `varied` takes the request's own model and settings with its input. */
export function runName(agent: string, as: keyof typeof SUFFIX): string {
  return `${agent}${SUFFIX[as]}`;
}

/** The agent that executes one call of a tool of a group. */
export const TOOL_RUN = 'tool';

/** The agent and the mode that a runtime's name stands for. */
export function servedName(name: string): { readonly agent: string; readonly mode: Mode } {
  if (name === TOOL_RUN || name.startsWith(`${TOOL_RUN}:`)) return { agent: TOOL_RUN, mode: 'tool' };
  for (const [mode, suffix] of [
    ['once', ':once'],
    ['conversation', ':chat'],
    ['iterative', ':completion'],
    ['iterative', ':varied'],
    ['workflow', ':dry'],
  ] as const)
    if (name.endsWith(suffix)) return { agent: name.slice(0, -suffix.length), mode };
  return { agent: name, mode: 'iterative' };
}
