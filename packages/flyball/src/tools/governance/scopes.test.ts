import { describe, expect, it } from 'vitest';
import { context, toolOf } from '../../../../../test/governance/context.js';
import { proposedCall } from './proposed-call.js';
import { scopesGuard } from './scopes.js';

const call = proposedCall(toolOf({ name: 'send_mail', scopes: ['mail:send', 'mail:all'] }), {});

describe('the scopes of a subject', () => {
  it.each([['tools:execute'], ['tools:send_mail'], ['mail:send'], ['mail:all']])(
    'allow a call with %s [R3-GOV-SCOPES]',
    (scope) => {
      expect(scopesGuard(() => ['other', scope]).check(call, context())).toMatchObject({ verdict: 'pass' });
    },
  );

  it.each([[[]], [['tools:read_mail']], [['tools:*']], [['mail:SEND']]])('do not with %j [R3-GOV-SCOPES]', (scopes) => {
    expect(scopesGuard(() => scopes).check(call, context())).toMatchObject({
      verdict: 'refuse',
      why: 'send_mail needs one of the scopes tools:execute, tools:send_mail, mail:send, mail:all, and this user has none of them.',
    });
  });

  it('are those of whoever the run works for [R3-GOV-SCOPES]', () => {
    const guard = scopesGuard(({ subject }) => (subject === 'ada' ? ['tools:execute'] : []));
    expect(guard.check(call, context({ subject: 'ada' }))).toMatchObject({ verdict: 'pass' });
    expect(guard.check(call, context({ subject: 'bob' }))).toMatchObject({ verdict: 'refuse' });
  });
});
