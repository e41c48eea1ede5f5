/** Patterns of humanizers: what an agent keeps from one session to the next. */
export { accumulateSkills } from '../../skills/accumulate.js';
