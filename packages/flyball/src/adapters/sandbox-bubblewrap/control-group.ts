import { randomUUID } from 'node:crypto';
import { existsSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LimitName, SandboxLimits } from '../../ports/sandbox.js';
import {
  counterIn,
  killMembers,
  makeIn,
  numberIn,
  removeAll,
  removeOnce,
  writeIfThere,
} from './control-group-files.js';
import type { ControlGroupPlaces } from './control-group-places.js';

/** Kernel limits on all processes of one job together. Made for the job, and removed with it. */
export interface ControlGroup {
  /** A process that writes 0 into each of these joins. */
  readonly joinFiles: readonly string[];
  tripped(): LimitName | undefined;
  usage(): { readonly cpuMs?: number; readonly peakMemoryBytes?: number };
  kill(): void;
  remove(): Promise<void>;
}

const MEGABYTE = 1024 * 1024;

/** Throws where this process may not make one. `extra` are the processes that the sandbox itself needs. */
export function makeControlGroup(places: ControlGroupPlaces, limits: SandboxLimits, extra: number): ControlGroup {
  const name = `flyball-${process.pid}-${randomUUID()}`;
  if (places.version === 1) return version1(places, name, settingsOf(limits, extra));
  return version2Group(makeControlled(places.parents, name), limits, extra);
}

interface Settings {
  readonly memory: string;
  readonly pids: string;
  readonly limits: SandboxLimits;
}

function settingsOf(limits: SandboxLimits, extra: number): Settings {
  return {
    memory: String(Math.floor(limits.memoryMb * MEGABYTE)),
    pids: String(Math.floor(limits.processes) + extra),
    limits,
  };
}

function version1(places: ControlGroupPlaces & { version: 1 }, name: string, settings: Settings): ControlGroup {
  const folders = [...new Set([places.memory, places.pids, places.cpuacct].filter((place) => place !== undefined))].map(
    (place) => makeIn(place, name),
  );
  const at = (place: string | undefined, file: string) => (place === undefined ? '' : join(place, name, file));
  return madeOrRemoved(folders, () => {
    writeFileSync(at(places.memory, 'memory.limit_in_bytes'), settings.memory);
    // memory and swap together; the file is there only where the kernel counts swap
    writeIfThere(at(places.memory, 'memory.memsw.limit_in_bytes'), settings.memory);
    writeFileSync(at(places.pids, 'pids.max'), settings.pids);
    return groupOf(folders, settings.limits, {
      outOfMemory: () => counterIn(at(places.memory, 'memory.oom_control'), 'oom_kill'),
      refusedForks: () => counterIn(at(places.pids, 'pids.events'), 'max'),
      cpuMs: () => scaled(numberIn(at(places.cpuacct, 'cpuacct.usage')), 1e6),
      peakMemoryBytes: () => numberIn(at(places.memory, 'memory.max_usage_in_bytes')),
    });
  });
}

/** A group in a folder that the kernel has filled. */
export function version2Group(folder: string, limits: SandboxLimits, extra: number): ControlGroup {
  const settings = settingsOf(limits, extra);
  const at = (file: string) => join(folder, file);
  return madeOrRemoved([folder], () => {
    writeFileSync(at('memory.max'), settings.memory);
    writeIfThere(at('memory.swap.max'), '0');
    writeFileSync(at('pids.max'), settings.pids);
    return groupOf([folder], settings.limits, {
      outOfMemory: () => counterIn(at('memory.events'), 'oom_kill'),
      refusedForks: () => counterIn(at('pids.events'), 'max'),
      cpuMs: () => scaled(counterIn(at('cpu.stat'), 'usage_usec'), 1e3),
      peakMemoryBytes: () => numberIn(at('memory.peak')),
    });
  });
}

/** The first parent below which the memory and process controllers can be had. */
function makeControlled(parents: readonly string[], name: string): string {
  const problems: string[] = [];
  for (const parent of parents) {
    try {
      const folder = makeIn(parent, name);
      if (hasControllers(folder)) return folder;
      enableControllers(parent, problems);
      if (hasControllers(folder)) return folder;
      rmdirSync(folder);
    } catch (error) {
      problems.push((error as Error).message);
    }
  }
  throw new Error(`no control group with memory and pids controllers can be made: ${problems.join('; ')}`);
}

function hasControllers(folder: string): boolean {
  return existsSync(join(folder, 'memory.max')) && existsSync(join(folder, 'pids.max'));
}

function enableControllers(parent: string, problems: string[]): void {
  try {
    writeFileSync(join(parent, 'cgroup.subtree_control'), '+memory +pids');
  } catch (error) {
    problems.push((error as Error).message);
  }
}

function madeOrRemoved(folders: readonly string[], make: () => ControlGroup): ControlGroup {
  try {
    return make();
  } catch (error) {
    folders.forEach(removeOnce);
    throw error;
  }
}

interface Counters {
  outOfMemory(): number | undefined;
  refusedForks(): number | undefined;
  cpuMs(): number | undefined;
  peakMemoryBytes(): number | undefined;
}

function groupOf(folders: readonly string[], limits: SandboxLimits, counters: Counters): ControlGroup {
  return {
    joinFiles: folders.map((folder) => join(folder, 'cgroup.procs')),
    tripped: () => {
      if ((counters.outOfMemory() ?? 0) > 0) return 'memoryMb';
      if ((counters.refusedForks() ?? 0) > 0) return 'processes';
      return (counters.cpuMs() ?? 0) > limits.cpuS * 1000 ? 'cpuS' : undefined;
    },
    usage: () => {
      const [cpuMs, peakMemoryBytes] = [counters.cpuMs(), counters.peakMemoryBytes()];
      return {
        ...(cpuMs === undefined ? {} : { cpuMs: Math.round(cpuMs) }),
        ...(peakMemoryBytes === undefined ? {} : { peakMemoryBytes }),
      };
    },
    kill: () => folders.forEach(killMembers),
    remove: () => removeAll(folders),
  };
}

function scaled(value: number | undefined, by: number): number | undefined {
  return value === undefined ? undefined : value / by;
}
