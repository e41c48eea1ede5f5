import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SANDBOX_LIMITS } from '../../ports/sandbox.js';
import { makeControlGroup, version2Group } from './control-group.js';

/**
 * The kernel fills a new group with files; in these tests a folder stands for the kernel's, so that both versions are
 * shown on any machine. test/security/sandbox.full.test.ts uses the real ones.
 */
let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'flyball-groups-'));
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

describe('a control group', () => {
  it('of version 1 bounds memory and processes, and names what tripped', () => {
    const group = makeControlGroup(
      { version: 1, memory: parent, pids: parent, cpuacct: parent },
      { ...SANDBOX_LIMITS, memoryMb: 2, processes: 5, cpuS: 1 },
      2,
    );
    const [name = ''] = readdirSync(parent);
    const file = (each: string) => join(parent, name, each);
    expect(readFileSync(file('memory.limit_in_bytes'), 'utf8')).toBe(String(2 * 1024 * 1024));
    expect(readFileSync(file('pids.max'), 'utf8')).toBe('7');
    expect(group.joinFiles).toEqual([file('cgroup.procs')]);

    expect(group.tripped()).toBeUndefined();
    writeFileSync(file('cpuacct.usage'), '1000000001\n');
    expect(group.tripped()).toBe('cpuS');
    writeFileSync(file('pids.events'), 'max 3\n');
    expect(group.tripped()).toBe('processes');
    writeFileSync(file('memory.oom_control'), 'oom_kill_disable 0\nunder_oom 0\noom_kill 1\n');
    expect(group.tripped()).toBe('memoryMb');
    writeFileSync(file('memory.max_usage_in_bytes'), '2097152\n');
    expect(group.usage()).toEqual({ cpuMs: 1000, peakMemoryBytes: 2097152 });
  });

  it('of version 2 bounds memory, swap and processes, and names what tripped', () => {
    const file = (each: string) => join(parent, each);
    writeFileSync(file('memory.swap.max'), 'max');
    const group = version2Group(parent, { ...SANDBOX_LIMITS, memoryMb: 2, processes: 5, cpuS: 1 }, 2);
    const written = ['memory.max', 'memory.swap.max', 'pids.max'].map((each) => readFileSync(file(each), 'utf8'));
    expect(written).toEqual(['2097152', '0', '7']);

    writeFileSync(file('memory.events'), 'low 0\noom 0\noom_kill 0\n');
    expect(group.tripped()).toBeUndefined();
    writeFileSync(file('cpu.stat'), 'usage_usec 1000001\nuser_usec 5\n');
    expect(group.tripped()).toBe('cpuS');
    writeFileSync(file('pids.events'), 'max 1\n');
    expect(group.tripped()).toBe('processes');
    writeFileSync(file('memory.events'), 'low 0\noom 1\noom_kill 1\n');
    expect(group.tripped()).toBe('memoryMb');
    writeFileSync(file('memory.peak'), '77\n');
    expect(group.usage()).toEqual({ cpuMs: 1000, peakMemoryBytes: 77 });
  });

  it('of version 2 is tried below its own group and beside it, with the controllers asked for', () => {
    const own = join(parent, 'own');
    mkdirSync(own);
    const making = () => makeControlGroup({ version: 2, parents: [own, parent] }, SANDBOX_LIMITS, 0);
    expect(making).toThrow(/no control group with memory and pids controllers/); // no kernel fills these folders
    for (const place of [own, parent])
      expect(readFileSync(join(place, 'cgroup.subtree_control'), 'utf8')).toBe('+memory +pids');
    expect([...readdirSync(own), ...readdirSync(parent)].filter((name) => name.startsWith('flyball-'))).toEqual([]);
  });

  it('that an earlier process left behind is removed', () => {
    const [dead, alive] = [join(parent, 'flyball-999999999-x'), join(parent, `flyball-${process.pid}-x`)];
    mkdirSync(dead);
    mkdirSync(alive);
    makeControlGroup({ version: 1, memory: parent, pids: parent, cpuacct: undefined }, SANDBOX_LIMITS, 0);
    expect(existsSync(dead)).toBe(false);
    expect(existsSync(alive)).toBe(true);
  });
});
