/** An image, a sound or a file, as it stands in a journal. */
export interface Media {
  readonly type: 'image' | 'audio' | 'file';
  readonly mediaType: string;
  readonly data: string;
  readonly name?: string;
}

/** What is known of one whose bytes are not here. */
export type MediaHead = Omit<Media, 'data'> & { readonly bytes: number; readonly hash: string };

export function isMedia(value: unknown): value is Media {
  if (typeof value !== 'object' || value === null) return false;
  const { type, mediaType, data } = value as Readonly<Record<string, unknown>>;
  const isKind = type === 'image' || type === 'audio' || type === 'file';
  return isKind && typeof mediaType === 'string' && typeof data === 'string';
}

/** Images, sounds and files at the top of a value: the parts of a message, or the fields of an input. */
export function mediaOf(value: unknown): readonly Media[] {
  if (isMedia(value)) return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).filter(isMedia);
}

/** Bytes of what is written in base64. */
export function bytesOf({ data }: Pick<Media, 'data'>): number {
  return (data.length * 3) / 4 - (data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0);
}

export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** Formats that browsers draw and that hold nothing but pixels. */
export function isDrawn(mediaType: string): boolean {
  return /^image\/(?:png|jpeg|gif|webp)$/.test(mediaType);
}

/** A replacer for JSON: pages of base64 tell nobody anything. */
export function withoutBytes(_key: string, value: unknown): unknown {
  return isMedia(value) ? { ...value, data: `(${sizeText(bytesOf(value))})` } : value;
}
