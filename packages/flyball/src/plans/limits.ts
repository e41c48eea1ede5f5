/**
 * What one plan may hold. A planner's text is the least trusted input there is, and checking a plan takes time in the
 * process that many runs share: what is larger is refused before anything is worked out over it.
 */
export const PLAN_LIMITS = {
  /** More than one plan should hold: what needs more is several plans. */
  steps: 100,
  /** Preconditions of one step, and its effects. */
  conditions: 20,
  /** Preconditions and effects of all steps together. */
  allConditions: 600,
  /** Tools that one step has to call. */
  tools: 20,
  /** Names that one step reads. */
  bindings: 30,
  links: 200,
  orderings: 200,
  /** Characters of a goal, a description or an expected outcome. */
  textChars: 8_000,
  /** Characters of a condition, a name, or an observation. */
  nameChars: 500,
  /** Characters of JSON: all literals that a step reads, and the arguments of its compensation. */
  valueChars: 50_000,
} as const;
