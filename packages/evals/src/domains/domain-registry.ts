import { ConfigError } from 'flyball';
import { bankingKnowledge } from '../tau2/banking-knowledge/index.js';
import type { DomainSource } from '../world/environment.js';
import { energyDesk } from './energy-desk/energy-desk.js';
import { mockDomain } from './mock/mock-domain.js';

/** Every domain that this package knows. */
const SOURCES: readonly DomainSource[] = [energyDesk, bankingKnowledge, mockDomain];

export function domainNames(): readonly string[] {
  return SOURCES.map(({ name }) => name);
}

export function domainSource(name: string): DomainSource {
  const found = SOURCES.find((source) => source.name === name);
  if (found !== undefined) return found;
  throw new ConfigError(`There is no domain '${name}'. Available domains: ${domainNames().join(', ')}.`);
}
