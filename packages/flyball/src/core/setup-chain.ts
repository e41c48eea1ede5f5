import { append, linksOf, type Prompt } from './prompt.js';
import type { Input, Session } from './session.js';

const setups = new WeakMap<object, Prompt>();

/** Chains already put under a setup, by the chain they came from: a growing conversation is hashed once per link. */
const rebased = new WeakMap<Prompt, Map<string, Prompt>>();

/**
 * The prompt as it is sent: the session's setup first, then the input. A chain that already stands on this setup is
 * used as it is; one that stands on another session's setup is moved onto this one.
 */
export function underSetup(session: Pick<Session<unknown>, 'name' | 'setup'>, input: Input): Prompt {
  const setup = setupOf(session);
  if (typeof input === 'string') return append(setup, { role: 'user', content: input });
  if (input.root === setup.id) return input;
  let tip = setup;
  for (const link of linksOf(input)) {
    if (link.segment.band === 'setup' && link.parent === undefined) continue;
    const known = rebased.get(link)?.get(setup.id);
    tip = known ?? append(tip, link.segment);
    if (known === undefined) remember(link, setup.id, tip);
  }
  return tip;
}

/** Sessions are immutable, so each one's setup is hashed once. */
function setupOf(session: Pick<Session<unknown>, 'name' | 'setup'>): Prompt {
  const known = setups.get(session);
  if (known !== undefined) return known;
  const setup = append(undefined, { role: 'system', content: session.setup, owner: session.name, protect: true });
  setups.set(session, setup);
  return setup;
}

function remember(link: Prompt, setupId: string, moved: Prompt): void {
  const bySetup = rebased.get(link) ?? new Map<string, Prompt>();
  bySetup.set(setupId, moved);
  rebased.set(link, bySetup);
}
