import { computed, signal } from '@preact/signals';
import { api } from '../api/client.js';
import type { AgentCard } from '../api/types.js';

const cards = signal<readonly AgentCard[]>([]);

/** What a scripted agent says of itself, by the agent's name. */
export const demonstrations = computed<ReadonlyMap<string, string>>(
  () => new Map(cards.value.flatMap(({ name, demonstration: said }) => (said === undefined ? [] : [[name, said]]))),
);

/** Whether there is any other agent. */
export const areAllScripted = computed(() => demonstrations.value.size === cards.value.length);

/** Whether runs of it can go on here; unknown agents are taken for served while the list is not there. */
export function isServed(agent: string): boolean {
  return cards.value.length === 0 || cards.value.some(({ name }) => name === agent);
}

/** Read once for the shell: an agent does not change while its server runs. */
export async function readServedAgents(): Promise<void> {
  try {
    cards.value = (await api.get<{ readonly agents: readonly AgentCard[] }>('/v1/agents')).agents;
  } catch {
    // whoever may not see the agents, or meets no server, is told so by the page itself
  }
}
