/** The wait before retry `retry` (0 is the first): min(maxDelayMs, baseDelayMs · 2^retry + U(0, jitterMs)). */
export function backoffMs(
  policy: { readonly baseDelayMs: number; readonly maxDelayMs: number; readonly jitterMs: number },
  retry: number,
  /** A random number in [0, 1). */
  uniform: number,
): number {
  return Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** retry + uniform * policy.jitterMs);
}
