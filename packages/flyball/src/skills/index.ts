export { type AccumulateParts, accumulateSkills, type RetrievedSkill, type SkillAccumulator } from './accumulate.js';
export { type ActivatedBy, type ActiveSkill, ActiveSkills, activeSkill } from './active-skills.js';
export { type CheckedSkill, checkSkill, MOST_LINES, MOST_TOKENS, type SkillSource } from './check-skill.js';
export { bytesHash, skillHash } from './content-hash.js';
export { cardOf, discloseCards, instructionsText, type SkillCard } from './disclosure.js';
export { type Distilled, distil } from './distil.js';
export { failureRate, LEARNED_POLICY, type LearnedPolicy } from './learned-govern.js';
export {
  type Invocation,
  instantiate,
  type LearnedSkill,
  type LearnedStatus,
  learnedFiles,
  learnedFrom,
  type ParameterValues,
  parametersSchema,
  type SkillParameter,
} from './learned-skill.js';
export { type LearnedSkills, storedSkills } from './learned-skills.js';
export { type Findable, type ScoredSkill, scoreSkills } from './lexical-score.js';
export {
  type Filter,
  type Filtered,
  type FilterVerdict,
  type LoadedText,
  lenientFilter,
  strictFilter,
} from './match-filters.js';
export {
  type MatchDecision,
  type MatchedSkill,
  type MatchStages,
  matchSkills,
  type SkillMatch,
} from './match-skills.js';
export {
  callAllowed,
  type Narrowed,
  type NarrowOptions,
  narrowTools,
  TOOLBOX_ALIASES,
  type ToolAliases,
} from './narrow-tools.js';
export { type ParsedSkill, parseSkill } from './parse-skill.js';
export type { ResourcePage } from './resource-page.js';
export { type CheckedPath, resourcePath } from './resource-path.js';
export { type RunSkillParts, runSkill, type SkillTask, type SolveParts, solveWithSkills } from './run-skill.js';
export {
  ACTIVATE_SKILL,
  problemText,
  READ_SKILL_RESOURCE,
  SKILL_FILE,
  type Skill,
  type SkillFile,
  type SkillGovernance,
  type SkillProblem,
  type SkillText,
} from './skill.js';
export { skillSeams, strictestLevel } from './skill-guard.js';
export { type SkillLibrary, skillLibrary } from './skill-library.js';
export { type SkillRun, type SkillRunOptions, type SkillState, useSkills } from './skill-run.js';
export {
  type ActivateArguments,
  type Activated,
  activateTool,
  type FindSkill,
  type ReadResourceArguments,
  type ResourceToolOptions,
  resourceTool,
} from './skill-tools.js';
export { type ListedPattern, splitPatterns, type ToolPattern, toolPattern } from './tool-pattern.js';
export type { SuccessVerdict, Trace, TraceStep } from './trace.js';
