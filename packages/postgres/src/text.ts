import { FlyballError } from 'flyball';

/**
 * PostgreSQL's text has no NUL and no half pairs, and a model can say anything: contents that hold some are kept as JSON
 * behind a mark, and so are those that begin with the mark.
 */
const MARK = '\u0001';

export function stored(content: string): string {
  const isPlain = !content.startsWith(MARK) && isStorable(content);
  return isPlain ? content : MARK + JSON.stringify(content);
}

export function restored(content: string): string {
  return content.startsWith(MARK) ? (JSON.parse(content.slice(1)) as string) : content;
}

/** For contents that are addressed by their hash: one that cannot be restored is not what its hash says, and is found so. */
export function restoredOrRaw(content: string): string {
  try {
    return restored(content);
  } catch {
    return content;
  }
}

/** Names and ids are looked for as they are: one that would be stored as another is refused. */
export function name(text: string): string {
  if (isStorable(text)) return text;
  throw new FlyballError('INPUT_INVALID', 'Names and ids are well-formed text without NUL. Choose another one.', {
    detail: { text: JSON.stringify(text).slice(0, 80) },
  });
}

function isStorable(text: string): boolean {
  return !text.includes('\u0000') && !HALF_PAIR.test(text);
}

const HALF_PAIR = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
