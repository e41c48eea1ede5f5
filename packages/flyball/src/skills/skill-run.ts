import { functionOf } from '../core/agent-function.js';
import { derivedRun } from '../core/derived-run.js';
import { FlyballError } from '../core/errors.js';
import type { Run } from '../core/run.js';
import type { ToolRef } from '../core/tool.js';
import { SKILL_ACTIVE } from '../views/active-skills.js';
import { type ActivatedBy, type ActiveSkill, ActiveSkills } from './active-skills.js';
import type { SkillCard } from './disclosure.js';
import type { NarrowOptions } from './narrow-tools.js';
import { ACTIVATE_SKILL } from './skill.js';
import { skillSeams } from './skill-guard.js';
import type { SkillLibrary } from './skill-library.js';
import { type Activated, activateTool, type ResourceToolOptions, resourceTool } from './skill-tools.js';

/** Skills in use by one run. */
export interface SkillRun {
  /** The run with the guard of the active skills around it. All work goes through this one. */
  readonly run: Run;
  /** What the model was told of, as it was when the run began to use skills. */
  readonly cards: readonly SkillCard[];
  readonly active: ActiveSkills;
  /** Activates a skill by name and gives its instructions. */
  activate(name: string, by?: ActivatedBy): Promise<Activated>;
  /** `activate_skill` and `read_skill_resource`, for this run. */
  tools(options?: Omit<ResourceToolOptions, 'active'>): readonly ToolRef[];
}

/** Where an earlier part of the same conversation stood. */
export interface SkillState {
  readonly cards: readonly SkillCard[];
  readonly active: readonly ActiveSkill[];
}

/** Options of `useSkills`. */
export interface SkillRunOptions extends NarrowOptions {
  /** Goes on from there instead of looking at the library anew. */
  readonly from?: SkillState;
}

/**
 * Lets a run use skills. What the library holds is read through the run: a run that is driven again from the top has
 * the same skills, also where the folder has changed since.
 */
export async function useSkills(run: Run, library: SkillLibrary, options: SkillRunOptions = {}): Promise<SkillRun> {
  const { from, ...narrowing } = options;
  const cards = from?.cards ?? (await run.step('skills', {}, () => library.cards(), 'pure'));
  const active = new ActiveSkills(from?.active);
  const guarded = watched(run.guarded(skillSeams(() => active.list(), narrowing)), active);
  return {
    run: guarded,
    cards,
    active,
    activate: async (name, by = 'caller') => {
      const activated = await run.step('activate-skill', { name }, (given) => library.activate(given.name), 'pure');
      adopt(guarded, active, activated.skill, by);
      return activated;
    },
    tools: (given = {}) => {
      if (cards.length === 0) return [];
      return [activateTool(library.get, cards, active), resourceTool(library.get, { ...given, active })];
    },
  };
}

function adopt(run: Run, active: ActiveSkills, skill: ActiveSkill, by: ActivatedBy): void {
  if (!active.add(skill)) return;
  const { name, version, hash } = skill;
  run.note({ kind: SKILL_ACTIVE, name, version, hash, by });
}

/**
 * The same run, which hears when a model activates a skill. The result of the call decides and not its execution, which
 * a run that is driven again from the top does not repeat.
 */
function watched(run: Run, active: ActiveSkills): Run {
  return derivedRun(run, (inner) => ({
    call: (tool, args) => {
      const made = inner.call(tool, args);
      if (tool.name !== ACTIVATE_SKILL) return made;
      const heard = made.then((result) => {
        if (result.ok) adopt(inner, active, activatedIn(result.value), 'model');
        return result;
      });
      heard.catch(() => undefined); // as the run's own effects: one that nobody awaits must not take the process down
      return heard;
    },
    spawn: (agent, input, slice) => {
      const real = functionOf(agent);
      const child: typeof real = (own, given) => real(watched(own, active), given);
      // a child is known by the name of its function
      return inner.spawn(Object.defineProperty(child, 'name', { value: agent.name }), input, slice);
    },
  }));
}

function activatedIn(value: unknown): ActiveSkill {
  const { skill } = (value ?? {}) as Partial<Activated>;
  if (typeof skill?.name === 'string' && typeof skill.hash === 'string' && Array.isArray(skill.disallowed))
    return skill;
  throw new FlyballError(
    'INVARIANT_BROKEN',
    `A guard has replaced the result of ${ACTIVATE_SKILL}, so it is unknown what the skill allows. Declare that tool as trusted.`,
  );
}
