import { toolTypes } from '../grading/action-checks.js';
import { WITHOUT_SERVICES } from '../grading/end-state.js';
import type { Results } from '../results/simulation-record.js';
import type { Domain, ToolType } from '../world/environment.js';

type TypeOf = (tool: string) => ToolType | null;

/**
 * Whether a tool reads or writes: as the grades of the file say, which hold every gold call of what ended by itself. For
 * calls of tasks that only ever ended at a limit, a world of the domain is asked; it is made when it is needed.
 */
export function toolTypesIn(
  { tasks, simulations }: Pick<Results, 'tasks' | 'simulations'>,
  domain: Partial<Pick<Domain, 'environment' | 'retrievals'>>,
): TypeOf {
  const graded = new Map(
    simulations.flatMap(({ reward }) =>
      (reward?.actions ?? []).map(({ action, toolType }) => [action.name, toolType] as const),
    ),
  );
  let world: TypeOf | undefined;
  const asked = (tool: string): ToolType | null => {
    const [task] = tasks;
    if (domain.environment === undefined || task === undefined) return null;
    const retrieval = domain.retrievals?.includes(WITHOUT_SERVICES) ? { retrieval: WITHOUT_SERVICES } : {};
    world ??= toolTypes(domain.environment({ task, ...retrieval }));
    return world(tool);
  };
  return (tool) => (graded.has(tool) ? (graded.get(tool) ?? null) : asked(tool));
}
