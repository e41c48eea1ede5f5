export { textSimilarity } from '../../../core/text-similarity.js';
export { ANSWER, answerWorkpiece } from './answer-workpiece.js';
export { CAUSES, type Cause, classify } from './causes.js';
export { escalationFor, partialIsUseful } from './escalation.js';
export { expandedQueries } from './expanded-queries.js';
export { type FilesWorkpieceOptions, filesWorkpiece } from './files-workpiece.js';
export { repairSession } from './prompts.js';
export { EMPTY_RATES, MIN_SAMPLES, type RepairCount, type RepairRates, recordRepair, successRate } from './rates.js';
export type { RepairInput, RepairParts, RepairResult, RepairSpent } from './repair-contracts.js';
export {
  DEFAULT_LOOP,
  type LoopRule,
  type RepairMemory,
  type Tried,
  WAYS_OUT,
  type WayOut,
} from './repair-memory.js';
export { repairer } from './repairer.js';
export { sectionAt } from './section.js';
export { chooseStrategy, P_MIN, SEVERITY, STRATEGIES, type StrategyChoice, type StrategyContext } from './strategy.js';
export { DEFAULT_RADIUS, type RepairWindow, repairWindow, splice } from './window.js';
