import type { GateRules, Machine } from 'flyball/agents';
import { bankingGate } from '../tau2/policies/banking-gate.js';
import { bankingMachine } from '../tau2/policies/banking-machine.js';
import { energyGate, energyMachine } from './energy-desk.js';
import { mockGate, mockMachine } from './mock.js';

/** The machine and the gate of each domain that has them, by the domain's name. */
export const POLICY_DOMAINS: Readonly<Record<string, { readonly machine: Machine; readonly gate: GateRules }>> = {
  banking_knowledge: { machine: bankingMachine, gate: bankingGate },
  energy_desk: { machine: energyMachine, gate: energyGate },
  mock: { machine: mockMachine, gate: mockGate },
};
