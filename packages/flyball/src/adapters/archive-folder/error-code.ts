/** Whether a call of the system failed for one of these reasons. */
export function isCode(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes(String((error as { readonly code?: unknown } | undefined)?.code));
}
