import { describe, expect, it } from 'vitest';
import { controlGroupPlaces } from './control-group-places.js';

const v1Mounts = `31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct
35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
39 31 0:36 / /sys/fs/cgroup/pids rw,relatime shared:9 - cgroup cgroup rw,pids
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
`;
const v2Mounts = '30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n';

describe('the places for control groups', () => {
  it('are one for each controller in version 1, also where both versions are mounted', () => {
    const own = '9:name=systemd:/\n8:pids:/\n4:memory:/jobs/a:b\n2:cpu,cpuacct:/x\n0::/\n';
    expect(controlGroupPlaces(own, v1Mounts)).toEqual({
      version: 1,
      memory: '/sys/fs/cgroup/memory/jobs/a:b',
      pids: '/sys/fs/cgroup/pids',
      cpuacct: '/sys/fs/cgroup/cpu,cpuacct/x',
    });
  });

  it('are the own group and the one above it in version 2', () => {
    expect(controlGroupPlaces('0::/user.slice/session-1.scope\n', v2Mounts)).toEqual({
      version: 2,
      parents: ['/sys/fs/cgroup/user.slice/session-1.scope', '/sys/fs/cgroup/user.slice'],
    });
  });

  it('do not lead above the mount', () => {
    expect(controlGroupPlaces('0::/\n', v2Mounts)).toEqual({ version: 2, parents: ['/sys/fs/cgroup'] });
  });

  it('are found where a container has only a part of the tree', () => {
    const mounts = '30 23 0:26 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n';
    expect(controlGroupPlaces('0::/docker/abc/inner\n', mounts)).toEqual({
      version: 2,
      parents: ['/sys/fs/cgroup/inner', '/sys/fs/cgroup'],
    });
  });

  it('are none where nothing is mounted', () => {
    expect(controlGroupPlaces('0::/\n', '31 23 0:28 / /proc rw - proc proc rw\n')).toBeUndefined();
    expect(controlGroupPlaces('', '')).toBeUndefined();
  });
});
