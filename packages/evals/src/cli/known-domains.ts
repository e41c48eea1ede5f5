import { FlyballError } from 'flyball';
import { domainNames, domainSource } from '../domains/domain-registry.js';
import type { Domain } from '../world/environment.js';
import type { Task } from '../world/task.js';
import { type DataOption, openDomain } from './open-domain.js';

/** A domain as lists show it: with its data, or with what to do about them. */
export interface KnownDomain {
  readonly name: string;
  readonly summary: string;
  readonly builtIn: boolean;
  readonly domain?: Domain;
  /** Why it cannot be used, and what to do. */
  readonly missing?: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Every domain that this package knows. What ships with it is read from there, wherever the benchmark's data are. */
export async function knownDomains(data: DataOption, env: Env): Promise<readonly KnownDomain[]> {
  return Promise.all(
    domainNames().map(async (name) => {
      const { summary, builtIn } = domainSource(name);
      try {
        return { name, summary, builtIn, domain: await openDomain(name, builtIn ? {} : data, env) };
      } catch (error) {
        if (!(error instanceof FlyballError)) throw error;
        return { name, summary, builtIn, missing: error.message };
      }
    }),
  );
}

/** What programs get to know of a domain. */
export function domainRecord({ name, summary, builtIn, domain, missing }: KnownDomain): Record<string, unknown> {
  const about = { name, summary, builtIn, present: domain !== undefined };
  if (domain === undefined) return { ...about, missing };
  return {
    ...about,
    tasks: domain.tasks.length,
    taskSets: Object.fromEntries([...domain.taskSets].map(([set, ids]) => [set, ids.length])),
    retrievals: domain.retrievals,
    ...(domain.defaultRetrieval === undefined ? {} : { defaultRetrieval: domain.defaultRetrieval }),
  };
}

export interface TaskLine {
  readonly id: string;
  /** Named sets that it is in, apart from `base`. */
  readonly sets: readonly string[];
  readonly rewardBasis: readonly string[];
  readonly goldActions: number;
  readonly requiredDocuments: number;
}

export function taskLine({ taskSets }: Domain, { id, criteria, requiredDocuments }: Task): TaskLine {
  return {
    id,
    sets: [...taskSets].filter(([set, ids]) => set !== 'base' && ids.includes(id)).map(([set]) => set),
    rewardBasis: criteria?.rewardBasis ?? [],
    goldActions: criteria?.actions?.length ?? 0,
    requiredDocuments: requiredDocuments.length,
  };
}
