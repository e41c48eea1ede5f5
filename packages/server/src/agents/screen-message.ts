import { through } from 'flyball/internal';
import type { Principal } from '../access/principal.js';
import { type InputScan, injectionGuard } from './input-guard.js';

/**
 * What is sent to a run that is there reaches its model like the input it was started with, and passes the same guard
 * before it is journaled. Rejects with DENIED.
 */
export async function screenMessage(
  value: unknown,
  { runId, principal, scan }: { readonly runId: string; readonly principal: Principal; readonly scan: InputScan },
): Promise<void> {
  const { tenant, subject } = principal;
  await through(injectionGuard(scan), 'input', async (passed) => passed)(value, { runId, tenant, subject, at: '' });
}
