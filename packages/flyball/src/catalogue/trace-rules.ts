import type { Entry } from '../core/events.js';
import { foundAnti } from './anti-pattern-finding.js';
import type { Finding } from './finding.js';
import { callsIn, inputOf, type PromptPiece, type RunJournal, scopeOfEffect, uses } from './journal.js';
import { type Composition, placedIn } from './subject.js';

const DAY = 86_400_000;
const MOST_DAYS = 365;
/** Shorter texts are the same by chance. */
const LONG = 40;

/** A model, tool or gate that was used outside every pattern of an agent whose description shows nothing else. */
export function untraced({ run, entries, spans }: RunJournal, agents: Composition['agents']): readonly Finding[] {
  const name = startOf(entries)?.agent.split(':')[0] ?? '';
  if (spans.length === 0 || placedIn({ [name]: agents[name] }).length === 0) return [];
  const outside = entries.flatMap(({ event }) => {
    const isUse = event.type === 'ask-start' || event.type === 'intent' || event.type === 'wait-start';
    if (!isUse) return [];
    const scope = scopeOfEffect(event.id);
    return spans.some(({ path }) => scope === path || scope.startsWith(`${path}/`)) ? [] : [scope];
  });
  return [...new Set(outside)].map((scope) =>
    foundAnti('A15', {
      at: `${run}:${scope}`,
      why: 'it works outside every pattern that its description names.',
      change: 'Do it in a pattern, or describe what does it.',
      level: 'warning',
    }),
  );
}

/** A worker whose request holds what its parent read or wrote, and which is not in its brief. */
export function overheard({ run, entries, prompts }: RunJournal): readonly Finding[] {
  if (prompts === undefined) return [];
  return entries.flatMap(({ event }, index) => {
    if (event.type !== 'spawn-start' || event.within === true) return [];
    const { path } = event;
    const isOwn = (id: string): boolean => scopeOfEffect(id).startsWith(path);
    const brief = JSON.stringify(event.input) ?? '';
    const own = textsIn(entries, isOwn);
    const around = textsIn(entries.slice(0, index), (id) => !isOwn(id));
    const foreign = around.filter((text) => !brief.includes(quoted(text)) && !own.includes(text));
    const requests = entries.flatMap(({ event: each }) =>
      each.type === 'ask-start' && isOwn(each.id) ? (prompts.get(each.tip) ?? []) : [],
    );
    const heard = foreign.filter((text) => requests.some(({ content }) => content.includes(text)));
    return heard.length === 0
      ? []
      : [
          foundAnti('CE5', {
            at: `${run}:${path}`,
            why: `its request holds ${heard.length} texts of its parent beyond the brief.`,
            change: 'Give it its brief and nothing else: {O17}.',
          }),
        ];
  });
}

const quoted = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Long texts that models and tools gave. */
function textsIn(entries: readonly Entry[], isWanted: (id: string) => boolean): readonly string[] {
  return entries.flatMap(({ event }) => {
    if (event.type === 'ask-end') return isWanted(event.id) ? longIn(event.reply?.text) : [];
    return event.type === 'complete' && isWanted(event.id) ? longIn(event.result) : [];
  });
}

function longIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.length >= LONG ? [value] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(longIn) : [];
}

/** Memories that were put into the prompts of so many runs and that no reply or call of any of them used. */
export function unusedMemories(journals: readonly RunJournal[], least: number): readonly Finding[] {
  const seen = new Map<string, { readonly runs: number; readonly isUsed: boolean }>();
  for (const journal of journals) {
    const pieces = memoriesIn(journal);
    const made = [
      ...journal.entries.flatMap(({ event }) => (event.type === 'ask-end' ? [event.reply?.text] : [])),
      ...callsIn(journal.entries).map(({ input }) => input),
    ];
    for (const content of pieces) {
      const { runs, isUsed } = seen.get(content) ?? { runs: 0, isUsed: false };
      const isUsedHere = uses(made, content, inputOf(journal.entries));
      seen.set(content, { runs: runs + 1, isUsed: isUsed || isUsedHere });
    }
  }
  return [...seen].flatMap(([content, { runs, isUsed }]) =>
    isUsed || runs < least
      ? []
      : [
          foundAnti('CE8', {
            at: `${runs} runs`,
            why: `none of them used the memory of ${content.length} characters in its prompt.`,
            change: 'Remove it, or read it when it is asked for.',
          }),
        ],
  );
}

function memoriesIn({ prompts }: RunJournal): ReadonlySet<string> {
  const all = [...(prompts?.values() ?? [])].flat();
  return new Set(all.filter(({ owner }: PromptPiece) => owner === 'memory').map(({ content }) => content));
}

/** An identity that is another one than in the run before, although nobody signed a change. */
export function drifted(journals: readonly RunJournal[]): readonly Finding[] {
  const known = new Map<string, { readonly hash: string; readonly run: string }>();
  const inOrder = [...journals].sort((a, b) => (a.entries[0]?.at ?? 0) - (b.entries[0]?.at ?? 0));
  return inOrder.flatMap(({ run, entries }) => {
    const agent = startOf(entries)?.agent ?? '';
    const found: Finding[] = [];
    for (const note of notesIn(entries)) {
      if (note.kind === 'identity-commit' && typeof note['by'] === 'string') known.delete(agent);
      const { hash } = note;
      if (note.kind !== 'identity' || typeof hash !== 'string') continue;
      const before = known.get(agent);
      if (before !== undefined && before.hash !== hash)
        found.push(
          foundAnti('HA3', {
            at: run,
            why: `its identity is not that of ${before.run}, and nobody signed the change.`,
            change: 'Have a person sign the change, and note it: `identity-commit`.',
          }),
        );
      known.set(agent, { hash, run });
    }
    return found;
  });
}

/** Entries of a track record that are loaded although they are too old to say anything. */
export function stale({ run, entries }: RunJournal): readonly Finding[] {
  return entries.flatMap(({ event, at }) => {
    if (event.type !== 'note' || event.event.kind !== 'track-record') return [];
    const { entries: loaded } = event.event as { readonly entries?: unknown };
    const old = (Array.isArray(loaded) ? (loaded as readonly { readonly lastSeen?: unknown }[]) : []).filter(
      ({ lastSeen }) => typeof lastSeen === 'number' && at - lastSeen > MOST_DAYS * DAY,
    );
    return old.length === 0
      ? []
      : [
          foundAnti('HA5', {
            at: run,
            why: `it loads ${old.length} entries of more than ${MOST_DAYS} days ago.`,
            change: 'Let entries fade, and leave out what is that old.',
          }),
        ];
  });
}

function startOf(entries: readonly Entry[]) {
  const event = entries.find((entry) => entry.event.type === 'run-start')?.event;
  return event?.type === 'run-start' ? event : undefined;
}

function notesIn(entries: readonly Entry[]): readonly { readonly kind: string; readonly [field: string]: unknown }[] {
  return entries.flatMap(({ event }) =>
    event.type === 'note' ? [event.event as { readonly kind: string; readonly [field: string]: unknown }] : [],
  );
}
