import type { Entry } from '../../../flyball/src/core/events.js';
import type { Attempt } from '../gates/fold-attempts.js';
import { fieldsOf, listIn, textIn } from '../plan/fields.js';

export interface Artefact {
  readonly name: string;
  readonly text: string;
}

/** What a version is known from: the words of the judge's prompt, of a person's question, or of the result. */
export interface Version {
  readonly artefacts: readonly Artefact[];
  /** The judge was not shown all of it. */
  readonly cut: boolean;
}

const LABELLED = /<output name=("(?:[^"\\]|\\.)*") mark="([0-9a-f]+)">\n([\s\S]*?)\n<\/output mark="\2">/g;
const NUMBERED = /^\d+\| ?/;

/**
 * The artefacts that a judge was shown. Every line stands after its number there; a line without one says what was left
 * out. The mark of the closing tag is a hash of what it closes, so that no text can close it by itself.
 */
export function artefactsIn(contents: readonly string[]): Version | undefined {
  for (const content of contents) {
    const artefacts = [...content.matchAll(LABELLED)].map(([, name = '""', , text = '']) => ({
      name: JSON.parse(name) as string,
      lines: text.split('\n'),
    }));
    if (artefacts.length === 0) continue;
    return {
      artefacts: artefacts.map(({ name, lines }) => ({ name, text: lines.map(unnumbered).join('\n') })),
      cut: artefacts.some(({ lines }) => lines.some((line) => !NUMBERED.test(line))),
    };
  }
  return undefined;
}

function unnumbered(line: string): string {
  return line.replace(NUMBERED, '');
}

/** What a person was asked about is the whole output, word for word. */
export function askedAbout({ approvals }: Pick<Attempt, 'approvals'>): Version | undefined {
  for (const { request } of approvals) {
    const artefacts = readArtefacts(fieldsOf(request['output'])['artefacts']);
    if (artefacts.length > 0) return { artefacts, cut: false };
  }
  return undefined;
}

/** What the run came to: of a result, or of what there was when it failed. */
export function finalOf(entries: readonly Entry[]): Version | undefined {
  const last = entries.findLast(({ event }) => event.type === 'run-end');
  if (last?.event.type !== 'run-end') return undefined;
  const { outcome } = last.event;
  const value = fieldsOf('value' in outcome ? outcome.value : undefined);
  const report = fieldsOf(fieldsOf('failure' in outcome ? outcome.failure.detail : undefined)['report']);
  for (const outputs of [value['outputs'], report['partial']]) {
    const artefacts = readArtefacts(fieldsOf(outputs)['artefacts']);
    if (artefacts.length > 0) return { artefacts, cut: false };
  }
  return undefined;
}

function readArtefacts(value: unknown): readonly Artefact[] {
  return listIn({ value }, 'value').flatMap((each) => {
    const fields = fieldsOf(each);
    const [name, text] = [textIn(fields, 'name'), textIn(fields, 'text')];
    return name === undefined || text === undefined ? [] : [{ name, text }];
  });
}
