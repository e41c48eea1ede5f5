import { type Artefact, type DimensionName, type Location, ROOT_CAUSES, type RootCause } from '../core/work.js';
import { linesOf } from './artefact-view.js';
import { defectId } from './defects.js';
import type { Found } from './merge-defects.js';
import { exactly, type ReplyForm, replyForm, TEXT, UNIT } from './reply-form.js';
import { DIMENSIONS } from './rubric.js';

const MAX_DEFECTS = 20;

interface SaidDefect {
  readonly description: string;
  readonly dimension: DimensionName;
  readonly severity: number;
  readonly artefact: string | null;
  readonly line: number | null;
  readonly endLine: number | null;
  readonly section: string | null;
  readonly scope: 'global' | 'bounded';
  readonly cause: RootCause | null;
  readonly needsExpert: boolean;
  readonly hint: string;
}

export interface Critique {
  readonly defects: readonly SaidDefect[];
}

/** What a critic replies. A defect without a hint does not fit. */
export function critiqueForm(): ReplyForm<Critique> {
  const number = { type: ['integer', 'null'] };
  const text = { type: ['string', 'null'], maxLength: 300 };
  const defect = exactly({
    description: TEXT,
    dimension: { type: 'string', enum: DIMENSIONS },
    severity: UNIT,
    artefact: text,
    line: number,
    endLine: number,
    section: text,
    scope: { type: 'string', enum: ['global', 'bounded'] },
    cause: { type: ['string', 'null'], enum: [...ROOT_CAUSES, null] },
    needsExpert: { type: 'boolean' },
    hint: TEXT,
  });
  return replyForm(exactly({ defects: { type: 'array', maxItems: MAX_DEFECTS, items: defect } }));
}

/** What a critic said, as far as it is about something that exists. */
export function foundBy(said: SaidDefect, artefacts: readonly Artefact[], lens?: Lens): Found {
  const location = placeOf(said, artefacts);
  const { dimension, cause } = said;
  const offLens = lens?.dimensions !== undefined && !lens.dimensions.includes(dimension);
  return {
    defect: {
      id: defectId('critic', dimension, cause, aboutOf(location, artefacts)),
      dimension,
      description: said.description,
      severity: said.severity,
      ...(location === undefined ? {} : { location }),
      // what has no place is nowhere in particular
      scope: location === undefined ? 'global' : said.scope,
      ...(cause === null ? {} : { cause }),
      ...(said.needsExpert ? { needsExpert: true } : {}),
      foundBy: 'critic',
      ...(lens === undefined ? {} : { facts: { lens: lens.name, ...(offLens ? { offLens } : {}) } }),
    },
    hint: said.hint,
  };
}

export interface Lens {
  readonly name: string;
  /** What it is meant to look at; a finding elsewhere is kept, and marked. */
  readonly dimensions?: readonly DimensionName[];
}

/** Artefacts, lines and sections that do not exist are left out: a repair that trusted them would cut into the wrong place. */
function placeOf(said: SaidDefect, artefacts: readonly Artefact[]): Location | undefined {
  const artefact = artefacts.find(({ name }) => name === said.artefact);
  if (artefact === undefined) return undefined;
  const last = linesOf(artefact.text).length;
  const { line, endLine, section } = said;
  const exists = line !== null && line >= 1 && line <= last;
  return {
    artefact: artefact.name,
    ...(exists ? { line } : {}),
    ...(exists && endLine !== null && endLine >= line && endLine <= last ? { endLine } : {}),
    ...(section !== null && section !== '' && artefact.text.includes(section) ? { section } : {}),
  };
}

/** The text at the place, not its number: a repair further up moves a defect, and makes no other one of it. */
function aboutOf(location: Location | undefined, artefacts: readonly Artefact[]): readonly string[] {
  if (location === undefined) return [];
  const { artefact, line, section } = location;
  const text =
    line === undefined ? undefined : linesOf(artefacts.find(({ name }) => name === artefact)?.text ?? '')[line - 1];
  return [artefact, text?.trim() ?? section ?? ''];
}
