import type { JsonSchema } from '../../core/schema.js';
import { INJECTION_DETECTORS } from '../../tools/governance/shield/detectors.js';
import { sanitized, screenText } from '../../tools/governance/shield/screen-text.js';

export interface Definition {
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

export type ScreenedDefinition =
  | (Definition & { readonly ok: true; readonly warning?: string })
  | { readonly ok: false; readonly why: string };

/** As the injection shield weighs results: cut out from here on, left out altogether from there on. */
const SANITISE = 0.3;
const REFUSE = 0.8;
/** Members of a schema that are words for a reader. What else it says has a meaning, so nothing can be cut out of it. */
const WORDS = new Set(['description', 'title', '$comment']);

/**
 * A description is read by the model with every request and passes no shield on its way, so it is looked through here:
 * what gives instructions is cut out, and a tool that does little else is not offered.
 */
export async function screenDefinition({ description, inputSchema }: Definition): Promise<ScreenedDefinition> {
  const found = new Set<string>();
  const clean = async (text: string): Promise<string> => {
    const screening = await screenText(text, INJECTION_DETECTORS);
    if (screening.score >= REFUSE) throw new Hostile(screening.detectors);
    if (screening.score < SANITISE) return text;
    for (const detector of screening.detectors) found.add(detector);
    return sanitized(text, screening);
  };
  try {
    const whole = async (text: string): Promise<void> => {
      const { score, detectors } = await screenText(text, INJECTION_DETECTORS);
      if (score >= SANITISE) throw new Hostile(detectors);
    };
    const inputClean = await cleanWords(inputSchema, { clean, whole });
    const cleaned = { description: await clean(description), inputSchema: inputClean };
    const warning = `instructions were cut out of its description (${[...found].join(', ')})`;
    return { ok: true, ...cleaned, ...(found.size > 0 ? { warning } : {}) };
  } catch (error) {
    if (!(error instanceof Hostile)) throw error;
    return { ok: false, why: `its description contains instructions to the reader (${error.detectors.join(', ')})` };
  }
}

class Hostile extends Error {
  readonly detectors: readonly string[];
  constructor(detectors: readonly string[]) {
    super('hostile');
    this.detectors = detectors;
  }
}

interface Screens {
  readonly clean: (text: string) => Promise<string>;
  readonly whole: (text: string) => Promise<void>;
}

async function cleanWords<V>(value: V, screens: Screens): Promise<V> {
  if (typeof value === 'string') await screens.whole(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const parts: unknown[] = [];
    for (const part of value) parts.push(await cleanWords(part, screens));
    return parts as V;
  }
  const members: [string, unknown][] = [];
  for (const [name, part] of Object.entries(value)) {
    await screens.whole(name);
    const isWords = WORDS.has(name) && typeof part === 'string';
    members.push([name, isWords ? await screens.clean(part) : await cleanWords(part, screens)]);
  }
  return Object.fromEntries(members) as V;
}
