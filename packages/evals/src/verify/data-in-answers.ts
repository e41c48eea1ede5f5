/**
 * The parts of a tool's answer that are data: listings of records, JSON, what unlocking shows, and the texts of Python's own
 * errors. They are equal byte for byte; the words around them are ours.
 */

/** Answers that are listings from beginning to end. */
const WHOLE = [
  /^Found \d+ record\(s\) in /,
  /^No records found in /,
  /^Payment history for account /,
  /^\[\n/,
  /^Error: Invalid JSON: /,
  /^Error querying database: /,
];

/** Openings after which the rest of the answer is Python's. */
const PYTHON = [
  /^Error: Invalid JSON in arguments: /,
  /^Error: Invalid arguments: /,
  /^Error: Invalid arguments for tool '[^']*': /,
];

export interface Answer {
  readonly content: string;
  readonly error: boolean;
}

/** True where an answer is data from beginning to end, as what Python raised is. */
export function isAllData({ content, error }: Answer): boolean {
  return error || WHOLE.some((form) => form.test(content));
}

/** The parts of an answer that are data. */
export function dataBlocks(text: string): readonly string[] {
  const opening = PYTHON.map((form) => form.exec(text)?.[0]).find((found) => found !== undefined);
  return [
    ...(opening === undefined ? [] : [text.slice(opening.length)]),
    ...(text.match(/^Found \d+ record\(s\) in '\w+':\n(?:\n|\d+\. Record ID: .*\n| {3}.*\n)*/gm) ?? []).map(
      (block) => `${block.trimEnd()}\n`,
    ),
    ...(text.match(/[{[]\n {2}[\s\S]*?\n[}\]]/g) ?? []),
    ...(text.match(/^Tool: [\s\S]*?\nParameters:\n[\s\S]*?(?=\n\n)/gm) ?? []),
    ...(text.match(/No records found in '\w+'\./g) ?? []),
  ];
}

/** Data of a recorded answer that ours lacks. */
export function missingData(recorded: Answer, ours: Answer): readonly string[] {
  if (isAllData(recorded)) return recorded.content === ours.content ? [] : [recorded.content];
  return dataBlocks(recorded.content).filter((block) => !ours.content.includes(block));
}
