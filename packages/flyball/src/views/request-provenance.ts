import type { RequestProvenance, RequestSource } from '../core/request-provenance.js';

/** Where what is asked about comes from, for people: who proposed it, and where each value stands. */
export function provenanceLines({ by, sources, values, sourcesLeftOut }: RequestProvenance): readonly string[] {
  const who =
    by.kind === 'model'
      ? `Proposed by ${by.session} (${by.model}) in ${by.effect}.`
      : 'Proposed by the code of the agent.';
  const named = (n: number): string => {
    const source = sources[n - 1];
    return source === undefined ? '' : `${sourceWords(source)}: ${source.excerpt}`;
  };
  const found = values.filter((value) => value.sources.length > 0);
  const unknown = values.filter((value) => value.sources.length === 0).map(({ path }) => path);
  return [
    who,
    ...found.map(({ path, sources: at }) => `${path} is from ${named(at.at(-1) ?? 0)}`),
    ...(unknown.length === 0 ? [] : [`${unknown.join(', ')}: not found word for word in any source.`]),
    ...(sourcesLeftOut === undefined ? [] : [`Other sources: ${sourcesLeftOut}, listed in the entries of the run.`]),
  ];
}

const TRUST = { system: '', user: '', model: ' (a model wrote it)', outside: ' (text from outside)' } as const;

export function sourceWords({ what, tool, session, model, effect, trust }: RequestSource): string {
  const place = effect === undefined ? '' : `, ${effect}`;
  switch (what) {
    case 'input':
      return `the input of the run${TRUST[trust]}`;
    case 'message':
      return `a message${TRUST[trust]}`;
    case 'result':
      return `the result of ${tool ?? 'a tool'}${place}${TRUST[trust]}`;
    case 'reply':
      return session === undefined ? `an earlier reply${TRUST[trust]}` : `a reply of ${session} (${model}${place})`;
    case 'setup':
      return 'the instructions of the agent';
  }
}
