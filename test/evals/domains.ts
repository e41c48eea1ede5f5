import { dataFolder } from '../../packages/evals/src/files/data-folder.js';
import type { Domain, DomainSource } from '../../packages/evals/src/world/environment.js';
import type { Task } from '../../packages/evals/src/world/task.js';
import { tau2 } from './tau2-data.js';

const LOADED = new Map<string, Promise<Domain>>();

/** A domain of the benchmark with its data loaded; once a test file. */
export function benchmarkDomain(name: 'mock' | 'banking_knowledge' | (string & {})): Promise<Domain> {
  const domain = LOADED.get(name) ?? sourceOf(name).then((source) => source.load(dataFolder(tau2().data)));
  LOADED.set(name, domain);
  return domain;
}

export function taskOf(domain: Domain, id: string): Task {
  const task = domain.tasks.find((one) => one.id === id);
  if (task === undefined) throw new Error(`There is no task ${id} in ${domain.name}.`);
  return task;
}

/** Loaded when it is asked for: most tests need no bank. */
async function sourceOf(name: string): Promise<DomainSource> {
  if (name === 'mock') return (await import('../../packages/evals/src/domains/mock/mock-domain.js')).mockDomain;
  return (await import('../../packages/evals/src/tau2/banking-knowledge/index.js')).bankingKnowledge;
}
