import type { GuardAt, GuardPoint } from './guard-points.js';
import { redactSecrets, requireKnownSecrets, secretsIn } from './secret-shapes.js';
import { textGuard } from './text-guard.js';

/** Finds keys and tokens by their shape, and the given ones by their value. Calls with one are denied, texts redacted. */
export function secretsGuard<P extends GuardPoint>(
  at: P,
  options: { readonly known?: readonly string[] } = {},
): GuardAt[P] {
  const known = options.known ?? [];
  requireKnownSecrets(known);
  return textGuard(
    {
      name: 'secrets',
      find(texts) {
        const ids = [...new Set(texts.flatMap((text) => secretsIn(text, known)))];
        return ids.length === 0
          ? undefined
          : { ruleId: `secrets.${ids[0]}`, evidence: `it holds a secret (${ids.join(', ')})` };
      },
      redact: (text) => redactSecrets(text, known),
    },
    at,
  );
}
