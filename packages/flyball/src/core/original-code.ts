const DEEPEST = 5;

/** An error and what caused it, outermost first: `fetch` only says that it failed, and keeps the reason below. */
export function causesOf(error: unknown): readonly object[] {
  const causes: object[] = [];
  for (let at = error; typeof at === 'object' && at !== null && causes.length < DEEPEST; at = causeOf(at))
    causes.push(at);
  return causes;
}

/** The outermost code among them, where there is one. Numbers are those of old DOM errors, and say nothing. */
export function originalCodeOf(error: unknown): string | undefined {
  return causesOf(error)
    .map((cause) => (cause as { readonly code?: unknown }).code)
    .find((code) => typeof code === 'string');
}

function causeOf(error: object): unknown {
  return (error as { readonly cause?: unknown }).cause;
}
