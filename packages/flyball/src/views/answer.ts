/**
 * The text in what a run came to, for people: the value itself, the one text that it holds, the answer of an agent with a
 * definition, or the one artefact of a commit loop. Undefined where it has more to say than a text: then all of it is shown.
 */
export function answerText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { rawText, termination, output, outputs } = value as Readonly<Record<string, unknown>>;
  if (typeof rawText === 'string' && typeof termination === 'string') return soleText(output) ?? rawText;
  return artefactIn(outputs) ?? soleText(value);
}

function soleText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  const fields = typeof value === 'object' && value !== null ? Object.values(value) : [];
  return fields.length === 1 && typeof fields[0] === 'string' ? fields[0] : undefined;
}

function artefactIn(outputs: unknown): string | undefined {
  const { artefacts } = (outputs ?? {}) as { readonly artefacts?: unknown };
  if (!Array.isArray(artefacts) || artefacts.length !== 1) return undefined;
  const { text } = (artefacts[0] ?? {}) as { readonly text?: unknown };
  return typeof text === 'string' ? text : undefined;
}
