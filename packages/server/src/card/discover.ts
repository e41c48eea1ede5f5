import type { JsonSchema } from 'flyball';
import { classifyAddress, described, parsedUrl, sha256, useFrom } from 'flyball/internal';
import { isLoopback } from '../settings.js';
import { narrowerAt } from './accepts.js';
import type { AgentCardDocument, CardInterface, CardSkill, SkillSchemas } from './card.js';
import { type FetchOptions, fetchCard } from './fetch-card.js';
import { neutralProse } from './neutral-prose.js';
import { isSpoken, readCard, schemasOf } from './read-card.js';

/** The skill and input you need from another server. */
export interface Need {
  /** The id of a skill. */
  readonly skill: string;
  /** What will be sent to it. */
  readonly input: JsonSchema;
}

/** A card that was fetched and fits the need. It says how to ask; it grants nothing. */
export interface VerifiedCard {
  readonly verified: true;
  readonly origin: string;
  /** Of the protocol, as the chosen interface speaks it. */
  readonly version: string;
  /** Of the bytes that were fetched: says later exactly which card was believed. */
  readonly hash: string;
  readonly interface: CardInterface;
  /** Prose in all of these has passed the injection screen. */
  readonly skill: CardSkill;
  readonly schemas: SkillSchemas;
  readonly card: Pick<AgentCardDocument, 'name' | 'description' | 'version'>;
  /** Texts that had to be changed before a model may read them. */
  readonly neutralized: number;
}

/** Why an agent card was not accepted, as a code. */
export type RefusalCode =
  | 'unreachable'
  | 'invalid-card'
  | 'unsupported-version'
  | 'missing-skill'
  | 'underspecified-skill'
  | 'narrower-schema';

/** Why an agent card was not accepted. */
export interface CardRefusal {
  readonly verified: false;
  readonly origin: string;
  readonly code: RefusalCode;
  readonly because: string;
  /** Where there was a card. */
  readonly hash?: string;
}

/**
 * Fetches the card of an origin and checks that it offers what is needed: in a version we speak, a skill of that id, and
 * one that takes all that will be sent.
 *
 * Model calls: none. No registry is asked. Inside a run it belongs into a pure step:
 * `run.step('discover', need, (n) => discover(origin, n), 'pure')`; the journal then holds origin, version and hash. Not
 * for trust: a card is what a stranger says about itself, and grants nothing.
 *
 * @pattern I5
 */
export async function discover(
  origin: string,
  need: Need,
  options: FetchOptions = {},
): Promise<VerifiedCard | CardRefusal> {
  const fetched = await fetchCard(origin, options);
  if (!fetched.ok)
    return refusal({ origin, code: 'unreachable', because: `${origin} cannot be reached: ${fetched.why}.` });
  const hash = sha256(fetched.text);
  const refuse = async (code: RefusalCode, because: string): Promise<CardRefusal> => {
    const { value } = await neutralProse(because); // reasons quote the card, and may be read by a model too
    return refusal({ origin: fetched.origin, code, because: value, hash });
  };
  const read = await readCard(fetched.text);
  if (!read.ok) return refuse(read.code, read.because);
  const { card } = read;
  const chosen = card.supportedInterfaces.find(
    ({ protocolVersion, url }) => isSpoken(protocolVersion) && isSafe(url, fetched.origin),
  );
  if (chosen === undefined) return refuse('unsupported-version', versionsText(card));
  const skill = card.skills.find(({ id }) => id === need.skill);
  if (skill === undefined) return refuse('missing-skill', skillsText(card, need));
  const schemas = schemasOf(card, skill.id);
  if (schemas === undefined)
    return refuse('underspecified-skill', `The skill "${need.skill}" does not declare its input.`);
  const narrower = narrowerAt(schemas.input, need.input);
  if (narrower !== undefined)
    return refuse('narrower-schema', `The skill "${need.skill}" does not accept the required input: ${narrower}.`);
  return verified({ card, skill, schemas, chosen, origin: fetched.origin, hash });
}

function refusal(why: Omit<CardRefusal, 'verified'>): CardRefusal {
  const params = { origin: why.origin, refused: why.code };
  return described({ verified: false, ...why }, useFrom({ id: 'I5', name: 'discover', params, parts: {}, calls: 0 }));
}

async function verified(found: {
  readonly card: AgentCardDocument;
  readonly skill: CardSkill;
  readonly schemas: SkillSchemas;
  readonly chosen: CardInterface;
  readonly origin: string;
  readonly hash: string;
}): Promise<VerifiedCard> {
  const { card, skill, schemas, chosen, origin, hash } = found;
  const { name, description, version } = card;
  const { url, protocolBinding, protocolVersion } = chosen;
  // only what is known: whatever else a stranger wrote beside it is for nobody here
  const told = { skill: known(skill), schemas, card: { name, description, version }, protocolBinding };
  const { value, neutralized } = await neutralProse(told);
  const { protocolBinding: binding, ...rest } = value;
  const door = { url: new URL(url).href, protocolBinding: binding, protocolVersion };
  const answer = {
    verified: true,
    origin,
    version: protocolVersion,
    hash,
    interface: door,
    ...rest,
    neutralized,
  } as const;
  return described(answer, useFrom({ id: 'I5', name: 'discover', params: { origin, hash }, parts: {}, calls: 0 }));
}

function known({
  id,
  name,
  description,
  tags,
  examples = [],
  inputModes = [],
  outputModes = [],
}: CardSkill): CardSkill {
  return { id, name, description, tags, examples, inputModes, outputModes };
}

/**
 * An interface without encryption is none: whoever listens in between would see the task and could answer it. Nor is one
 * on this machine or inside its network, unless the card came from that very host: a stranger's card would have us send
 * requests where the stranger cannot.
 */
function isSafe(url: string, from: string): boolean {
  if (parsedUrl(url) === undefined) return false;
  const { protocol, hostname } = new URL(url);
  const isOwn = hostname === new URL(from).hostname;
  if (protocol === 'http:') return isOwn && isLoopback(hostname);
  return protocol === 'https:' && (isOwn || isPublic(hostname));
}

/** As far as a name tells: where it leads is checked by whoever connects. */
function isPublic(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '');
  return name !== 'localhost' && !name.endsWith('.localhost') && classifyAddress(name).kind !== 'not-public';
}

function versionsText({ supportedInterfaces }: AgentCardDocument): string {
  const versions = [...new Set(supportedInterfaces.map(({ protocolVersion }) => protocolVersion.slice(0, 20)))];
  return `No usable interface: version 1.x over HTTPS is required, the card has ${versions.slice(0, 10).join(', ')}.`;
}

function skillsText({ skills }: AgentCardDocument, { skill }: Need): string {
  const ids = skills.slice(0, 20).map(({ id }) => id.slice(0, 100));
  return `There is no skill "${skill}" on the card. It has: ${ids.join(', ') || 'none'}.`;
}
