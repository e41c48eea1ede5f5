import type { Artefact, Defect, ExecutionOutputs, Location } from '../../../core/work.js';

/** The artefact that a place names: by its name, or by a path that only one of them can be meant by. */
export function artefactAt(artefacts: readonly Artefact[], location: Location | undefined): Artefact | undefined {
  if (location === undefined) return artefacts.length === 1 ? artefacts[0] : undefined;
  const exact = artefacts.find(({ name }) => name === location.artefact);
  if (exact !== undefined) return exact;
  const wanted = pathOf(location.artefact);
  const meant = artefacts.filter(({ name }) => isEnd(pathOf(name), wanted) || isEnd(wanted, pathOf(name)));
  return meant.length === 1 ? meant[0] : undefined;
}

/** The defect with a place that exists in the outputs; one that may be anywhere concerns all of them. */
export function placedIn(outputs: ExecutionOutputs, defect: Defect): Defect {
  const { location, ...rest } = defect;
  const artefact = artefactAt(outputs.artefacts, location);
  if (artefact === undefined) return { ...rest, scope: 'global' };
  return { ...rest, location: { ...location, artefact: artefact.name } };
}

/** Artefacts that have to be made anew: those with a defect, and all of them where a defect has no place. */
export function concerned(outputs: ExecutionOutputs, defects: readonly Defect[]): readonly Artefact[] {
  const named = new Set(defects.map(({ location }) => location?.artefact));
  if (named.has(undefined)) return outputs.artefacts;
  return outputs.artefacts.filter(({ name }) => named.has(name));
}

export function textOf({ artefacts }: ExecutionOutputs, name: string): string | undefined {
  return artefacts.find((each) => each.name === name)?.text;
}

export function hasSameTexts(one: ExecutionOutputs, other: ExecutionOutputs): boolean {
  const isAsIn = (outputs: ExecutionOutputs, { name, text }: Artefact): boolean => textOf(outputs, name) === text;
  return one.artefacts.length === other.artefacts.length && one.artefacts.every((each) => isAsIn(other, each));
}

function pathOf(name: string): readonly string[] {
  return name.split(/[/\\]+/).filter((part) => part !== '' && part !== '.');
}

function isEnd(end: readonly string[], of: readonly string[]): boolean {
  return end.length > 0 && end.length <= of.length && end.every((part, at) => part === of[of.length - end.length + at]);
}
