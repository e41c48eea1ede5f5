import { isMedia, type MediaPart, type MessagePart } from '../../core/parts.js';

/** Values that arrived as JSON, read without believing their shape: what does not fit reads as absent. */
export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

export function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** Text in either of the two forms that vendors take: a string, or a list of parts that hold some. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .map((part) => textOf(part['text']))
    .join('');
}

/** Images, sounds and files among the parts of a message, in whichever of the vendors' forms they come. */
export function contentParts(content: unknown): { readonly parts?: readonly MessagePart[] } {
  const parts = listOf(content).map(
    (part): MessagePart => mediaPart(part) ?? { type: 'text', text: textOf(part['text']) },
  );
  return parts.some(isMedia) ? { parts } : {};
}

function mediaPart(part: Fields): MediaPart | undefined {
  const source = fieldsOf(part['source']); // Anthropic
  if (source['data'] !== undefined) return mediaOf(textOf(source['media_type']), textOf(source['data']), part['title']);
  const inline = fieldsOf(part['inlineData']); // Gemini
  if (inline['data'] !== undefined) return mediaOf(textOf(inline['mimeType']), textOf(inline['data']));
  const sound = fieldsOf(part['input_audio']); // OpenAI, from here on
  if (sound['data'] !== undefined) return mediaOf(`audio/${textOf(sound['format'])}`, textOf(sound['data']));
  const file = { ...fieldsOf(part['file']), ...(part['type'] === 'input_file' ? part : {}) };
  const url = file['file_data'] ?? fieldsOf(part['image_url'])['url'] ?? part['image_url'];
  const held = /^data:([^;]+);base64,(.*)$/s.exec(textOf(url));
  return held === null ? undefined : mediaOf(held[1] ?? '', held[2] ?? '', file['filename']);
}

export function mediaOf(mediaType: string, data: string, name?: unknown): MediaPart {
  const kind = mediaType.split('/', 1)[0];
  const type = kind === 'image' || kind === 'audio' ? kind : 'file';
  return { type, mediaType, data, ...(typeof name === 'string' ? { name } : {}) };
}

/** Any part, or the message itself, carries an Anthropic-style cache marker. */
export function isMarked(message: Fields): boolean {
  const parts = listOf(message['content']);
  return [message, ...parts].some((part) => part['cache_control'] !== undefined);
}

/** The argument text of a call whose arguments come as an object on this wire. */
export function argumentText(given: unknown): string {
  return typeof given === 'string' ? given : JSON.stringify(given ?? {});
}

/** For wires that carry arguments as an object; what is no JSON stays the text it is. */
export function argumentValue(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text; // a scripted reply with broken arguments: the client gets something that is no object
  }
}

/** Leaves out what is undefined, so that a normalized request compares equal to one written by hand. */
export function present<T extends Fields>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
