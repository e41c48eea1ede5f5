import { ConfigError } from 'flyball';
import { bankingKnowledge } from '../tau2/banking-knowledge/index.js';
import type { DomainSource } from '../world/environment.js';
import { energyDesk } from './energy-desk/energy-desk.js';
import { mockDomain } from './mock/mock-domain.js';

/** Every domain that this package knows. */
const SOURCES: readonly DomainSource[] = [energyDesk, bankingKnowledge, mockDomain];

/** The names of all domains that this package knows. */
export function domainNames(): readonly string[] {
  return SOURCES.map(({ name }) => name);
}

/** The domain of this name. Throws ConfigError for a name that is not known. */
export function domainSource(name: string): DomainSource {
  const found = SOURCES.find((source) => source.name === name);
  if (found !== undefined) return found;
  throw new ConfigError(`There is no domain '${name}'. Available domains: ${domainNames().join(', ')}.`);
}
