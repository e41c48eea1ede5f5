import type { Run } from 'flyball';
import type { AgentGroup } from 'flyball/command';
import { AUTONOMY_LEVELS, autonomySeams, workflowMark } from 'flyball/internal';
import type { AutonomyLevel } from 'flyball/tools';

interface Declared {
  readonly autonomy?: AutonomyLevel;
  readonly tools?: readonly string[];
}

/**
 * Holds a direct call to the level that agents declare: what an agent may not do with its tool, nobody can do by calling
 * the tool past it. Of several agents with the tool the strictest counts; a tool that none of them names is held to the
 * strictest level of the group.
 */
export function heldDirectly({ agents }: Pick<AgentGroup, 'agents'>): (run: Run, tool: string) => Run {
  const declared = Object.values(agents).flatMap(declaredBy);
  const seams = new Map(AUTONOMY_LEVELS.map((level) => [level, autonomySeams(level)] as const));
  return (run, tool) => {
    const users = declared.filter(({ tools = [] }) => tools.includes(tool));
    const level = strictest(users.length > 0 ? users : declared);
    const held = level === undefined ? undefined : seams.get(level);
    return held === undefined ? run : run.guarded(held);
  };
}

function declaredBy(agent: AgentGroup['agents'][string]): readonly Declared[] {
  if (workflowMark(agent) !== undefined) return []; // its agents are named by the group themselves
  const { spec } = agent as { readonly spec?: Declared };
  return spec === undefined ? [] : [spec];
}

function strictest(declared: readonly Declared[]): AutonomyLevel | undefined {
  return AUTONOMY_LEVELS.find((level) => declared.some(({ autonomy }) => autonomy === level)); // strictest first
}
