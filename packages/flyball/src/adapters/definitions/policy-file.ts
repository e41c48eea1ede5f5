import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ConfigError, failureOf } from '../../core/errors.js';
import type { Clock } from '../../ports/clock.js';
import { parsePolicy } from '../../tools/governance/policy/parse-policy.js';
import type { Policy } from '../../tools/governance/policy/policy.js';
import type { PolicySource } from '../../tools/governance/policy/policy-check.js';
import { yamlSource } from './yaml-source.js';

/** Options of `loadPolicy`. */
export interface PolicyFileOptions {
  /** What waivers expire by. */
  readonly clock: Pick<Clock, 'now'>;
}

/** Reads a policy from a YAML or JSON file. Throws ConfigError, with the file's name, when it must not be in force. */
export async function loadPolicy(path: string, options: PolicyFileOptions): Promise<Policy> {
  const file = resolve(path);
  return parsed(file, await textOf(file), options);
}

/** Options of `watchPolicy`. */
export interface PolicyWatchOptions extends PolicyFileOptions {
  /** Told once for each change that could not be taken over; the one before stays in force. */
  readonly onProblem?: (problem: string) => void;
}

/**
 * The policy in a file, as it stands when it is asked for: a change takes effect with the next call, without a restart.
 * The file is read on each use, since times of change are too coarse to tell two writes apart. A file that has become
 * unreadable or wrong leaves the last good policy in force, and says so with every answer until it is mended.
 */
export async function watchPolicy(path: string, options: PolicyWatchOptions): Promise<PolicySource> {
  const file = resolve(path);
  let text = await textOf(file);
  let policy = parsed(file, text, options);
  let problem: string | undefined;
  const fail = (why: string): void => {
    const told = `${why} Policy ${policy.label} stays in force.`;
    if (told !== problem) options.onProblem?.(told);
    problem = told;
  };
  const refresh = async (): Promise<void> => {
    try {
      const now = await textOf(file);
      if (now === text) problem = undefined;
      else [policy, text, problem] = [parsed(file, now, options), now, undefined];
    } catch (error) {
      fail(failureOf(error).message);
    }
  };
  // one after the other: a slow reading of the old file must not win over a quick one of the new
  let last = Promise.resolve();
  return {
    async current() {
      last = last.then(refresh);
      await last;
      return problem === undefined ? { policy } : { policy, problem };
    },
  };
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`${file}: the policy cannot be read: ${failureOf(error).message}.`);
  }
}

function parsed(file: string, text: string, { clock }: PolicyFileOptions): Policy {
  const { value } = yamlSource(text, file);
  try {
    return parsePolicy(value, { now: clock.now() });
  } catch (error) {
    throw new ConfigError(`${file}: ${failureOf(error).message}`);
  }
}
