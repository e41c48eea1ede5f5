import { knowledgeFaults } from './faults/knowledge.js';
import { limitFaults } from './faults/limits.js';
import { orchestrationFaults } from './faults/orchestration.js';
import { reasoningFaults } from './faults/reasoning.js';
import { reliabilityFaults } from './faults/reliability.js';
import type { PlantedFault } from './planted.js';

export const plantedFaults: readonly PlantedFault[] = [
  ...reasoningFaults,
  ...knowledgeFaults,
  ...orchestrationFaults,
  ...reliabilityFaults,
  ...limitFaults,
];
