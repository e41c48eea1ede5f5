import { ConfigError } from '../core/errors.js';
import { PRIVATE } from '../core/private-marks.js';
import type { Trust } from '../core/prompt.js';
import type { Run } from '../core/run.js';
import type { Embedder } from '../ports/embedder.js';
import type { Store } from '../ports/store.js';
import { OBSERVATION_TYPES, type ObservationType } from '../views/observations.js';
import { repeatsConversation, repeatsResults } from '../views/repeated.js';
import { handled } from './handled.js';
import type { NewItem } from './items.js';
import { markPrivate, type ObservationDraft, type PrivateParts } from './observe.js';
import { placeFor } from './shelf.js';
import { type Batch, type Remembered, simulatedWrite, writeItems } from './write-items.js';

/** Options of `capture`. */
export interface CaptureOptions {
  readonly store: Store;
  readonly embedder?: Embedder;
  /** The name of a memory that all subjects of a tenant share; each subject has its own where it is absent. */
  readonly shared?: string;
  readonly session: string;
  readonly agent: string;
  /** Added to every observation. With `private` nothing is written at all. */
  readonly tags?: readonly string[];
  /** Model calls of these sessions and calls of these tools stay in the journal, with whatever the loop repeats. */
  readonly private?: PrivateParts;
  /** Characters kept of each observation; the journal has the rest. 4,000 where it is absent. */
  readonly maxContent?: number;
}

/** Carries what a loop observes into episodic memory. */
export interface ObservationCapture {
  /** At the start of a loop: marks in the journal what this capture holds private, so that exports leave it out as well. */
  begin(run: Run): void;
  /** After each iteration: writes what is not private in one step; no step where nothing is left. Answers the ids. */
  flush(run: Run, observations: readonly ObservationDraft[]): Promise<readonly string[]>;
}

const MAX_CONTENT = 4_000;

/** Copies observations of a run into memory. */
export function capture(options: CaptureOptions): ObservationCapture {
  const { tags = [], shared, maxContent = MAX_CONTENT } = options;
  if (!(maxContent >= 100)) throw new ConfigError(`maxContent must be at least 100 characters, got ${maxContent}.`);
  const isPrivate = (of: ObservationDraft): boolean =>
    tags.includes(PRIVATE) || of.tags?.includes(PRIVATE) === true || isNamedIn(options.private, of);

  return {
    begin(run) {
      if (tags.includes(PRIVATE)) markPrivate(run);
      else if (options.private !== undefined) markPrivate(run, { tools: [], ...options.private }); // names none: hides none
    },

    flush: (run, observations) =>
      handled(async () => {
        const kept = observations.filter((of) => !isPrivate(of) && of.content.trim() !== '');
        if (kept.length === 0) return [];
        const place = placeFor(run, shared);
        const items = kept.map((of) => itemOf(of, { ...options, tags, maxContent }));
        const written = await run.step<Batch, readonly Remembered[]>(
          'memory.capture',
          { run: run.id, at: run.now(), items },
          (input, how) => writeItems(options, place, input, how),
          // what was seen was seen, also by a run that is rolled back
          { class: 'idempotent', records: true, compensate: async () => undefined, simulate: simulatedWrite },
        );
        return written.map(({ id }) => id);
      }),
  };
}

/**
 * A reply that asks for a private tool is not private by that: its text is the session's. What the loop repeats is,
 * whoever is named: it may be theirs.
 */
function isNamedIn(parts: PrivateParts | undefined, { type, metadata }: ObservationDraft): boolean {
  const { tools = [], sessions = [] } = parts ?? {};
  if (tools.length + sessions.length === 0) return false;
  const { tool, role } = (metadata ?? {}) as { readonly tool?: unknown; readonly role?: unknown };
  if (type === 'tool_call') return typeof tool === 'string' && (tools.includes(tool) || repeatsResults(tool));
  return typeof role === 'string' && (sessions.includes(role) || repeatsConversation(role));
}

/** What a tool or a failure says may be anybody's words. */
const TRUST: Readonly<Record<ObservationType, Trust>> = {
  tool_call: 'outside',
  llm_response: 'model',
  decision: 'model',
  error: 'outside',
};

function itemOf(
  { id, type, content, metadata = {}, tags = [] }: ObservationDraft,
  of: Pick<CaptureOptions, 'session' | 'agent'> & { readonly tags: readonly string[]; readonly maxContent: number },
): NewItem {
  if (!OBSERVATION_TYPES.includes(type))
    throw new ConfigError(`An observation is one of ${OBSERVATION_TYPES.join(', ')}, got "${String(type)}".`);
  const name = type === 'tool_call' && typeof metadata['tool'] === 'string' ? `${metadata['tool']}: ` : '';
  const cut = content.length > of.maxContent;
  return {
    kind: 'episodic',
    ...(id === undefined ? {} : { id }),
    title: `${name}${content}`,
    content: cut ? `${content.slice(0, of.maxContent)}…` : content,
    trust: TRUST[type],
    tags: [...new Set([...of.tags, ...tags])],
    metadata: { ...metadata, type, ...(cut ? { cutFrom: content.length } : {}) },
    session: of.session,
    agent: of.agent,
  };
}
