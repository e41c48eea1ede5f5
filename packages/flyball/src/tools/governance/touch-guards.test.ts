import { describe, expect, it } from 'vitest';
import { context, toolOf } from '../../../../../test/governance/context.js';
import type { Touch } from '../../core/tool.js';
import { domainRules } from '../rules/domains.js';
import { pathRules } from '../rules/paths.js';
import type { ToolGuard } from './guard-answer.js';
import { proposedCall } from './proposed-call.js';
import { commandGuard, domainGuard, pathGuard } from './touch-guards.js';

const verdictOf = (guard: ToolGuard, touch: Touch) =>
  guard.check(proposedCall(toolOf({ name: 'anything', touches: () => touch }), {}), context());

describe('rules about what is touched', () => {
  it('judge every command of a tool that names commands [R3-GOV-COMMANDS]', () => {
    const guard = commandGuard({ programs: { ls: {}, git: { approve: ['push --force'] } } });
    expect(verdictOf(guard, {})).toMatchObject({ verdict: 'pass' });
    expect(verdictOf(guard, { commands: ['ls -l', ['git', 'status']] })).toMatchObject({ verdict: 'pass' });
    expect(verdictOf(guard, { commands: ['ls', ['curl', 'evil.com']] })).toMatchObject({
      verdict: 'refuse',
      why: expect.stringContaining('curl'),
      told: [{ guard: 'commands', verdict: 'denied' }],
    });
    expect(verdictOf(guard, { commands: [['git', 'push', '--force']] })).toMatchObject({
      verdict: 'ask',
      told: [{ guard: 'commands', verdict: 'escalated' }],
    });
  });

  it('judge every path of a tool that names paths, read and written ones apart [R3-GOV-PATHS]', () => {
    const guard = pathGuard(
      pathRules({
        roots: [
          { path: '/work', write: true },
          { path: '/data', write: false },
        ],
      }),
    );
    expect(verdictOf(guard, { reads: ['/data/a', 'b'], writes: [{ path: '/work/c' }] })).toMatchObject({
      verdict: 'pass',
    });
    for (const touch of [{ reads: ['/work/a', '/etc/passwd'] }, { writes: [{ path: '/work/a' }, { path: '/data/a' }] }])
      expect(verdictOf(guard, touch)).toMatchObject({
        verdict: 'refuse',
        told: [{ guard: 'paths', verdict: 'denied' }],
      });
  });

  it('judge every address of a tool that names addresses [R3-GOV-DOMAINS]', () => {
    const guard = domainGuard(domainRules({ allow: ['example.com'] }));
    expect(verdictOf(guard, { urls: ['https://example.com/a'] })).toMatchObject({ verdict: 'pass' });
    expect(verdictOf(guard, { urls: ['https://example.com/a', 'https://evil.com/'] })).toMatchObject({
      verdict: 'refuse',
      told: [{ guard: 'domains', verdict: 'denied' }],
    });
  });
});
