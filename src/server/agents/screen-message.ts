import { through } from '../../runtime/seams.js';
import type { Principal } from '../access/principal.js';
import { injectionGuard } from './input-guard.js';

const guard = injectionGuard();

/**
 * What is sent to a run that is there reaches its model like the input it was started with, and passes the same guard
 * before it is journaled. Rejects with DENIED.
 */
export async function screenMessage(
  value: unknown,
  { runId, principal }: { readonly runId: string; readonly principal: Principal },
): Promise<void> {
  const { tenant, subject } = principal;
  await through(guard, 'input', async (passed) => passed)(value, { runId, tenant, subject, at: '' });
}
