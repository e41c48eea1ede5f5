import { describe, expect, it } from 'vitest';
import { context, toolOf, undoable } from '../../../../../test/governance/context.js';
import { type AutonomyLevel, autonomyGuard } from './autonomy-level.js';
import { proposedCall } from './proposed-call.js';

const tools = {
  pure: toolOf({ name: 'pure' }),
  idempotent: toolOf({ name: 'idempotent', effect: 'idempotent' }),
  undoable: toolOf({ name: 'undoable', effect: undoable }),
  irreversible: toolOf({ name: 'irreversible', effect: { class: 'irreversible' } }),
  destroys: toolOf({ name: 'destroys', effect: 'idempotent', touches: () => ({ commands: [['rm', '-rf', 'build']] }) }),
  lists: toolOf({ name: 'lists', effect: 'pure', touches: () => ({ commands: ['ls -l'] }) }),
  poses: toolOf({ name: 'poses', effect: 'pure', touches: () => ({ writes: [{ path: 'a' }] }) }),
};

function verdictsAt(level: AutonomyLevel): Record<string, unknown> {
  const guard = autonomyGuard(level);
  return Object.fromEntries(
    Object.entries(tools).map(([name, tool]) => [
      name,
      (guard.check(proposedCall(tool, {}), context()) as { verdict: string }).verdict,
    ]),
  );
}

describe('an autonomy level', () => {
  it('of read-only refuses whatever can change something [R3-GOV-AUTONOMY]', () => {
    expect(verdictsAt('read-only')).toEqual({
      pure: 'pass',
      lists: 'pass',
      idempotent: 'refuse',
      undoable: 'refuse',
      irreversible: 'refuse',
      destroys: 'refuse',
      poses: 'refuse', // it says that it is pure, and what it writes
    });
  });

  it('of supervised lets repeatable calls pass and leaves the others to a person [R3-GOV-AUTONOMY]', () => {
    expect(verdictsAt('supervised')).toEqual({
      pure: 'pass',
      lists: 'pass',
      poses: 'pass',
      idempotent: 'pass',
      undoable: 'ask',
      irreversible: 'ask',
      destroys: 'ask',
    });
  });

  it('of autonomous lets all pass: what is irreversible has its gate anyway [R3-GOV-AUTONOMY]', () => {
    expect(new Set(Object.values(verdictsAt('autonomous')))).toEqual(new Set(['pass']));
  });

  it('is told as an escalation where a person is needed [R3-GOV-AUTONOMY]', () => {
    const answer = autonomyGuard('supervised').check(proposedCall(tools.destroys, {}), context());
    expect(answer).toMatchObject({
      why: expect.stringContaining('destroys (rm)'),
      told: [{ guard: 'autonomy', verdict: 'escalated' }],
    });
  });

  it('may differ from run to run [R3-GOV-AUTONOMY]', () => {
    const guard = autonomyGuard(({ subject }) => (subject === 'ada' ? 'autonomous' : 'read-only'));
    const call = proposedCall(tools.undoable, {});
    expect(guard.check(call, context({ subject: 'ada' }))).toMatchObject({ verdict: 'pass' });
    expect(guard.check(call, context({ subject: 'bob' }))).toMatchObject({ verdict: 'refuse' });
  });

  it('that is none is refused, at once or when it is asked for', () => {
    expect(() => autonomyGuard('admin' as AutonomyLevel)).toThrow('"admin" is not an autonomy level');
    const guard = autonomyGuard(() => 'admin' as AutonomyLevel);
    expect(() => guard.check(proposedCall(tools.pure, {}), context())).toThrow('"admin" is not an autonomy level');
  });
});
